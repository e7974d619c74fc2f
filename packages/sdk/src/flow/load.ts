import { dirname } from 'node:path';
import { FlowsError } from '../errors/flows-error.js';
import { verifySealed } from './digest.js';
import { executeModule } from './execute-module.js';
import type { LoadedFlow } from './loaded.js';
import type { SealedFlow, SealedModule } from './sealed.js';

export interface LoadOptions {
  /** Folder for the files that Node imports; created when absent. Default: a temporary folder, removed after loading. */
  readonly moduleDir?: string;
}

const loads = new WeakMap<SealedFlow, Promise<LoadedFlow>>();

/**
 * Executes the modules of a sealed flow and gives the flows they declare. Loading the same source again in one process gives the same flows: their top
 * level runs once.
 *
 * Throws `source_mismatch` when the source does not have its digest, `dependency_changed` when a package is missing or has another version than when
 * it was sealed, `invalid_spec` or `unsupported_header` when a module does not declare a flow, `dispatch_invalid` when two children of a flow have one name,
 * `module_not_stored` when no file can be written.
 */
export function loadSealed(sealed: SealedFlow, options: LoadOptions = {}): Promise<LoadedFlow> {
  const known = loads.get(sealed);
  if (known !== undefined) return known;
  const loading = load(sealed, options);
  loads.set(sealed, loading);
  loading.catch(() => loads.delete(sealed));
  return loading;
}

async function load(sealed: SealedFlow, { moduleDir }: LoadOptions): Promise<LoadedFlow> {
  verifySealed(sealed);
  const modules = new Map(sealed.children.map((module) => [module.path, module]));
  const moduleAt = (path: string): SealedModule => {
    const module = modules.get(path);
    if (module === undefined) throw new FlowsError('source_mismatch', `The sealed flow lacks its child ${path}.`, { hint: 'Seal it again.', evidence: { path: sealed.path, child: path } });
    return module;
  };
  const rootDirectory = dirname(sealed.path);
  const loadModule = async (module: SealedModule): Promise<LoadedFlow> => {
    const children: LoadedFlow[] = [];
    for (const { path } of module.use) children.push(await loadModule(moduleAt(path)));
    const definition = await executeModule({ module, rootDirectory, moduleDir });
    return { name: definition.name, definition, children: byName(definition.name, children) };
  };
  return loadModule(sealed.root);
}

function byName(parent: string, children: readonly LoadedFlow[]): ReadonlyMap<string, LoadedFlow> {
  const named = new Map<string, LoadedFlow>();
  for (const child of children) {
    if (named.has(child.name)) {
      throw new FlowsError('dispatch_invalid', `Two children of the flow "${parent}" are called "${child.name}", so f.dispatch could not tell them apart.`, {
        hint: 'Give one of them another name in its flow() call.',
        evidence: { flow: parent, child: child.name },
      });
    }
    named.set(child.name, child);
  }
  return named;
}
