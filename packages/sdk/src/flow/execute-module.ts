import type { FlowHandle } from '@relayflows/surface';
import { getFlowDefinition, isFlowHandle, type FlowDefinition } from '@relayflows/surface/runtime';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FlowsError } from '../errors/flows-error.js';
import { rememberCodeMap } from './author-position.js';
import { confirmDependency } from './dependencies.js';
import { sha256 } from './digest.js';
import { notAFlow, topLevelFailed, topLevelHangs } from './load-failures.js';
import { readModuleSyntax } from './module-syntax.js';
import { storeModule } from './module-store.js';
import { rewriteModule } from './rewrite.js';
import { provideScopes } from './scope.js';
import type { SealedModule } from './sealed.js';
import { readCodeMap } from './source-map.js';

/** How long the top level of a flow file may take. */
const TOP_LEVEL_MS = 30_000;

interface Namespace {
  readonly default?: unknown;
}

/**
 * Modules that were imported in this process, by the digest of the text that was imported. Node keeps a module for good, so one file stands for it however
 * often it is loaded, and its top level runs once.
 */
const imported = new Map<string, Promise<Namespace>>();
/** Node remembers a module that failed as well; another attempt needs another URL. */
let failures = 0;

/**
 * Imports a sealed module and reads the flow it exports.
 * Throws `invalid_spec`, `unsupported_header`, `dependency_changed`, `module_not_stored`.
 */
export async function executeModule(args: {
  readonly module: SealedModule;
  /** Folder of the root flow. */
  readonly rootDirectory: string;
  readonly moduleDir: string | undefined;
}): Promise<FlowDefinition> {
  const { module } = args;
  const file = resolve(args.rootDirectory, module.path);
  const directory = dirname(file);
  const urls = new Map(module.dependencies.map((dependency) => [dependency.specifier, confirmDependency(dependency, directory)]));
  const syntax = await readModuleSyntax(module.code);
  if (!syntax.hasDefaultExport) throw notAFlow(file, undefined);
  const text = rewriteModule({ code: module.code, map: module.map, syntax, file, urls });
  const namespace = await importOnce({ text, file, map: module.map, moduleDir: args.moduleDir, specifiers: new Map([...urls].map(([bare, url]) => [url, bare])) });
  return readDefinition(file, namespace.default, urls.get('@relayflows/surface'));
}

interface ImportRequest {
  readonly text: string;
  readonly file: string;
  readonly map: string;
  readonly moduleDir: string | undefined;
  /** Bare imports by the URL they were replaced with. */
  readonly specifiers: ReadonlyMap<string, string>;
}

function importOnce(request: ImportRequest): Promise<Namespace> {
  const key = sha256(request.text);
  const known = imported.get(key);
  if (known !== undefined) return known;
  const importing = importText(request);
  imported.set(key, importing);
  importing.catch(() => {
    failures += 1;
    imported.delete(key);
  });
  return importing;
}

async function importText({ text, file, map, moduleDir, specifiers }: ImportRequest): Promise<Namespace> {
  provideScopes();
  const stored = storeModule(text, moduleDir);
  const url = failures === 0 ? stored.url : `${stored.url}?attempt=${failures}`;
  rememberCodeMap(url, readCodeMap(map, dirname(file)));
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(topLevelHangs(file, TOP_LEVEL_MS)), TOP_LEVEL_MS);
  });
  try {
    return await Promise.race([import(url) as Promise<Namespace>, deadline]);
  } catch (error) {
    throw topLevelFailed({ file, url, error, specifiers });
  } finally {
    clearTimeout(timer);
    stored.release();
  }
}

function readDefinition(file: string, exported: unknown, surface: string | undefined): FlowDefinition {
  if (!isFlowHandle(exported)) throw notAFlow(file, exported, surface === undefined ? undefined : fileURLToPath(surface));
  try {
    return getFlowDefinition(exported satisfies FlowHandle);
  } catch (error) {
    throw new FlowsError('invalid_spec', `${file} cannot be run: ${(error as Error).message}.`, {
      hint: 'Give flow() a body: flow(name, async (f) => { … }).',
      evidence: { path: file },
      cause: error,
    });
  }
}
