import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FlowsError } from '../errors/flows-error.js';
import type { ImportSite, ModuleSyntax } from './module-syntax.js';
import { isBare, packageOf, type ResolvedPackage, resolvePackage } from './resolve-package.js';
import type { SealedDependency } from './sealed.js';

const SURFACE = /^@relayflows\/surface(?:\/|$)/;
const HERE = dirname(fileURLToPath(import.meta.url));

/** What a bare import means for a flow in a folder. A flow without an installed surface gets the runtime's own. */
export function resolveDependency(specifier: string, directory: string): ResolvedPackage | undefined {
  return resolvePackage(specifier, directory) ?? (SURFACE.test(specifier) ? resolvePackage(specifier, HERE) : undefined);
}

/**
 * Begins to load the surface that a flow in a folder will import, while its bundle is being made. Only the runtime's own copy: that one may be executed
 * before anyone asked for it.
 */
export function preloadSurface(directory: string): void {
  const url = resolveDependency('@relayflows/surface', directory)?.url;
  if (url !== undefined && url === resolvePackage('@relayflows/surface', HERE)?.url) import(url).catch(() => undefined);
}

/**
 * The packages a bundle imports, sorted by specifier, and the imports that lead nowhere. What only `import()` or `require()` names may be missing: such a
 * call can be guarded.
 */
export function findDependencies(syntax: ModuleSyntax, directory: string): { readonly dependencies: readonly SealedDependency[]; readonly missing: readonly ImportSite[] } {
  const specifiers = new Set([...syntax.imports.flatMap(({ specifier }) => specifier ?? []), ...syntax.requires]);
  const dependencies = [...specifiers].filter(isBare).sort().flatMap((specifier) => {
    const resolved = resolveDependency(specifier, directory);
    return resolved === undefined ? [] : [{ specifier, ...resolved }];
  });
  const found = new Set(dependencies.map(({ specifier }) => specifier));
  const missing = syntax.imports.filter(({ kind, specifier = '' }) => kind === 'static' && !found.has(specifier) && !specifier.startsWith('data:'));
  return { dependencies, missing };
}

/**
 * Where a dependency is to be loaded from now: from where it was when sealed, or else from where the flow finds the same version today.
 * Throws `dependency_changed` when there is only another version, or none.
 */
export function confirmDependency(sealed: SealedDependency, directory: string): string {
  if (sealed.url.startsWith('node:')) return sealed.url;
  const there = packageOf(sealed.url);
  // The surface and the runtime agree through a versioned key, so upgrading both together must not strand the runs that are waiting.
  if (SURFACE.test(sealed.specifier)) {
    const url = there === undefined ? resolveDependency(sealed.specifier, directory)?.url : sealed.url;
    if (url !== undefined) return url;
  }
  if (there !== undefined && there.name === sealed.name && there.version === sealed.version) return sealed.url;
  const now = resolveDependency(sealed.specifier, directory);
  if (now !== undefined && now.name === sealed.name && now.version === sealed.version) return now.url;
  throw changed(sealed, now ?? there);
}

function changed(sealed: SealedDependency, now: { readonly name?: string; readonly version?: string } | undefined): FlowsError {
  const was = nameAndVersion(sealed, sealed.specifier);
  const text = now === undefined
    ? `The flow was sealed with ${was}, which is no longer installed.`
    : `The flow was sealed with ${was}, and ${nameAndVersion(now, sealed.specifier)} is installed now.`;
  return new FlowsError('dependency_changed', text, {
    hint: `Install ${was} again, or resume with --current-source to run the file as it is now.`,
    evidence: {
      package: sealed.name ?? sealed.specifier,
      sealedVersion: sealed.version ?? null,
      installedVersion: now?.version ?? null,
      url: sealed.url,
    },
  });
}

function nameAndVersion({ name, version }: { readonly name?: string; readonly version?: string }, specifier: string): string {
  return version === undefined ? (name ?? specifier) : `${name ?? specifier}@${version}`;
}
