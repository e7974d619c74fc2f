import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { FlowsError } from '../errors/flows-error.js';
import { bundle } from './bundle.js';
import { findDependencies, preloadSurface } from './dependencies.js';
import { digestSealed } from './digest.js';
import { executeModule } from './execute-module.js';
import { flowsBeside, locateFlow } from './flow-path.js';
import { importsNotFound } from './import-problems.js';
import { loadLexer, readModuleSyntax } from './module-syntax.js';
import { nearest } from './nearest.js';
import type { SealedFlow, SealedModule, SealedUse } from './sealed.js';
import { checkUseEntry, usedTwice, usesItself } from './use-rules.js';

export interface SealOptions {
  /** Folder for the files that Node imports, the same as for `loadSealed`. Default: a temporary folder, removed afterwards. */
  readonly moduleDir?: string;
  /** Read for `ESBUILD_BINARY_PATH`. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Turns a flow file, the files it imports by relative paths, and its child flows into data that can be stored and run anywhere.
 *
 * A header is known only once the file was executed, so sealing runs the top level of each file; loading in the same process does not run it again.
 *
 * Throws `invalid_spec` when a file is not a flow, `use_invalid`, `use_not_found` or `use_cycle` for its children, `unsupported_header` for an unknown
 * header key, `bundler_unavailable` when esbuild cannot run, `module_not_stored` when no file can be written.
 */
export async function sealFlow(path: string, options: SealOptions = {}): Promise<SealedFlow> {
  const file = locateFlow(path);
  const sealing = new Sealing(dirname(file), options);
  await sealing.add(file, []);
  const [root, ...children] = sealing.modules() as [SealedModule, ...SealedModule[]];
  return { kind: 'sealed', digest: digestSealed({ root, children }), path: file, root, children };
}

/** Seals a tree of flow files depth first, each file once. */
class Sealing {
  readonly #root: string;
  readonly #options: SealOptions;
  /** In the order they were met; a module is `undefined` while its children are being sealed. */
  readonly #modules = new Map<string, SealedModule | undefined>();

  constructor(root: string, options: SealOptions) {
    this.#root = root;
    this.#options = options;
  }

  modules(): readonly (SealedModule | undefined)[] {
    return [...this.#modules.values()];
  }

  /** `users` leads from the root to the file that uses this one. */
  async add(file: string, users: readonly string[]): Promise<void> {
    if (users.includes(file)) throw usesItself([file, ...users.slice(users.indexOf(file) + 1), file]);
    if (this.#modules.has(file)) return;
    this.#modules.set(file, undefined);
    const module = await this.#sealFile(file);
    const definition = await executeModule({ module, rootDirectory: this.#root, moduleDir: this.#options.moduleDir });
    const use: SealedUse[] = [];
    const children = resolveUse(file, definition.header.use ?? []);
    for (const [child, specifier] of children) {
      await this.add(child, [...users, file]);
      use.push({ specifier, path: this.#relative(child) });
    }
    this.#modules.set(file, { ...module, use });
  }

  async #sealFile(file: string): Promise<SealedModule> {
    // oxlint-disable-next-line node/no-process-env -- the default of an option
    const bundling = bundle({ file, env: this.#options.env ?? process.env });
    const directory = dirname(file);
    preloadSurface(directory);
    const [{ code, map }] = await Promise.all([bundling, loadLexer()]);
    const { dependencies, missing } = findDependencies(await readModuleSyntax(code), directory);
    if (missing.length > 0) throw importsNotFound({ file, directory, code, map, sites: missing });
    return { path: this.#relative(file), code, map, dependencies, use: [] };
  }

  #relative(file: string): string {
    return relative(this.#root, file).split(sep).join('/');
  }
}

/** Entries of `use` by the real path they lead to. */
function resolveUse(file: string, specifiers: readonly string[]): ReadonlyMap<string, string> {
  const children = new Map<string, string>();
  for (const specifier of specifiers) {
    checkUseEntry(file, specifier);
    const child = resolveChild(file, specifier);
    const earlier = children.get(child);
    if (earlier !== undefined) throw usedTwice(file, [earlier, specifier]);
    children.set(child, specifier);
  }
  return children;
}

function resolveChild(file: string, specifier: string): string {
  const path = resolve(dirname(file), specifier);
  try {
    const real = realpathSync(path);
    if (statSync(real).isFile()) return real;
  } catch (cause) {
    const similar = nearest(basename(path), flowsBeside(path));
    throw new FlowsError('use_not_found', `${file} uses ${JSON.stringify(specifier)}, but there is no ${path}.`, {
      hint: similar === undefined ? 'Create it or remove the entry.' : `Did you mean ${JSON.stringify(specifier.slice(0, -basename(path).length) + similar)}?`,
      evidence: { path: file, specifier, child: path },
      cause,
    });
  }
  throw new FlowsError('use_not_found', `${file} uses ${JSON.stringify(specifier)}, which is not a file.`, {
    hint: 'Name the flow file itself.',
    evidence: { path: file, specifier, child: path },
  });
}
