import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type ExportsTarget, resolveExports } from './package-exports.js';

/** What a bare import stands for. */
export interface ResolvedPackage {
  /** File URL, or `node:<name>`. */
  readonly url: string;
  /** From its package.json; absent for Node's own modules. */
  readonly name?: string;
  readonly version?: string;
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly main?: string;
  readonly exports?: ExportsTarget;
}

/** Whether an import names a package or one of Node's own modules, rather than a path or a URL. */
export function isBare(specifier: string): boolean {
  return isBuiltin(specifier) || !/^(?:\.{0,2}\/|\.{1,2}$|[a-zA-Z][a-zA-Z\d+.-]+:|#|$)/.test(specifier);
}

/**
 * Finds what a bare import in a folder means, by the rules of Node's `import` (PACKAGE_RESOLVE); `undefined` when Node would not find it.
 * `import.meta.resolve` cannot be asked: it answers for the module that asks, and with another parent only under a flag.
 */
export function resolvePackage(specifier: string, directory: string): ResolvedPackage | undefined {
  if (isBuiltin(specifier)) return { url: specifier.startsWith('node:') ? specifier : `node:${specifier}` };
  const name = packageName(specifier);
  if (name === undefined) return undefined;
  const subpath = `.${specifier.slice(name.length)}`;
  return resolveSelf(name, subpath, directory) ?? resolveInstalled(name, subpath, directory);
}

/** The package that an import names, with its scope; `undefined` for what cannot be the name of a package. */
export function packageName(specifier: string): string | undefined {
  return /^((?:@[^/\\%:]+\/)?[^./\\%@:~#][^/\\%:]*)(?:\/|$)/.exec(specifier)?.[1];
}

/** A package may import itself by name, through its own `exports`. */
function resolveSelf(name: string, subpath: string, directory: string): ResolvedPackage | undefined {
  for (const folder of ancestors(directory)) {
    if (folder.endsWith('node_modules')) return undefined;
    const manifest = readManifest(folder);
    if (manifest === undefined) continue;
    if (manifest.exports === undefined || manifest.name !== name) return undefined;
    return located(folder, manifest, resolveExports(manifest.exports, subpath));
  }
  return undefined;
}

function resolveInstalled(name: string, subpath: string, directory: string): ResolvedPackage | undefined {
  for (const ancestor of ancestors(directory)) {
    const folder = join(ancestor, 'node_modules', name);
    if (!isKind(folder, 'directory')) continue;
    const manifest = readManifest(folder) ?? {};
    if (manifest.exports !== undefined && manifest.exports !== null) return located(folder, manifest, resolveExports(manifest.exports, subpath));
    return located(folder, manifest, subpath === '.' ? legacyMain(folder, manifest) : decodeURIComponent(subpath));
  }
  return undefined;
}

function legacyMain(folder: string, { main }: Manifest): string | undefined {
  const candidates = [
    ...(main === undefined ? [] : [main, `${main}.js`, `${main}.json`, `${main}.node`, `${main}/index.js`, `${main}/index.json`, `${main}/index.node`]),
    'index.js', 'index.json', 'index.node',
  ];
  return candidates.find((candidate) => isKind(join(folder, candidate), 'file'));
}

function located(folder: string, manifest: Manifest, target: string | undefined): ResolvedPackage | undefined {
  if (target === undefined) return undefined;
  const path = join(folder, target);
  if (!isKind(path, 'file')) return undefined;
  return {
    url: pathToFileURL(realpathSync(path)).href,
    ...(manifest.name === undefined ? {} : { name: manifest.name }),
    ...(manifest.version === undefined ? {} : { version: manifest.version }),
  };
}

/** Name and version of the package that a file belongs to, or `undefined` when the file or its package.json is gone. */
export function packageOf(url: string): { readonly name?: string; readonly version?: string } | undefined {
  const path = fileURLToPath(url);
  if (!isKind(path, 'file')) return undefined;
  for (const folder of ancestors(dirname(path))) {
    const manifest = readManifest(folder);
    // Builds put a package.json with only a `type` beside their files.
    if (manifest?.name !== undefined) return manifest;
    if (folder.endsWith('node_modules')) return undefined;
  }
  return undefined;
}

function* ancestors(directory: string): Generator<string> {
  for (let folder = directory; ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}

function readManifest(folder: string): Manifest | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return undefined;
  }
}

function isKind(path: string, kind: 'file' | 'directory'): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return kind === 'file' ? found?.isFile() === true : found?.isDirectory() === true;
}
