import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolveDependency } from './dependencies.js';
import { flowConsole } from './flow-console.js';
import { isBare } from './resolve-package.js';

/**
 * What a bundled module is given in place of what its own location would mean: the bundle lies in the data directory, and its code shall see the
 * author's file.
 */
export interface ModuleScope {
  readonly console: Console;
  /** `import.meta` of the author's file. */
  readonly meta: ImportMeta;
  /** `import()` as called from the author's file. */
  readonly load: (specifier: unknown, options?: ImportCallOptions) => Promise<unknown>;
  readonly require: NodeJS.Require;
}

/** Bundled modules find their scope here, by the file URL of the author's file. A symbol, since a module that is imported can be handed nothing. */
const KEY = Symbol.for('@relayflows/sdk:module-scope@1');

/** The expression by which a bundled module reads the scope of one of its source files. */
export function scopeExpression(url: string): string {
  return `globalThis[Symbol.for(${JSON.stringify(KEY.description)})](${JSON.stringify(url)})`;
}

/** Makes {@link scopeExpression} work. Called before a bundled module is imported. */
export function provideScopes(): void {
  if (KEY in globalThis) return;
  Object.defineProperty(globalThis, KEY, { value: scopeOf });
}

function scopeOf(url: string): ModuleScope {
  const path = fileURLToPath(url);
  const resolve = (specifier: string): string => {
    if (!isBare(specifier)) return new URL(specifier, url).href;
    const resolved = resolveDependency(specifier, dirname(path));
    if (resolved !== undefined) return resolved.url;
    throw Object.assign(new Error(`Cannot find package '${specifier}' imported from ${path}`), { code: 'ERR_MODULE_NOT_FOUND' });
  };
  return {
    console: flowConsole,
    meta: { url, filename: path, dirname: dirname(path), resolve },
    load: async (specifier, options): Promise<unknown> => import(resolve(String(specifier)), options),
    require: createRequire(pathToFileURL(path)),
  };
}
