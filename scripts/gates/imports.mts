import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'oxc-parser';
import { repositoryFiles, type Gate } from './gate.mjs';

/** What the sources of a package may import of the workspace. Everything a package is not listed with is refused. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  surface: [],
  sdk: ['@relayflows/surface'],
  generator: ['@relayflows/surface', '@relayflows/sdk'],
  cli: ['@relayflows/surface', '@relayflows/sdk'],
  relay: ['@relayflows/surface', '@relayflows/sdk', 'relay-flow-plugin'],
  'relay-plugin': [],
  'stub-llm': [],
};

/** The exceptions, each loaded on use only. */
const MAY_LOAD_LAZILY: Readonly<Record<string, readonly string[]>> = { cli: ['@relayflows/generator'] };

const WORKSPACE = /^(@relayflows\/[^/]+|relay-flow-plugin)/;

export interface ImportedModule {
  readonly specifier: string;
  readonly lazy: boolean;
  readonly line: number;
}

/** Every module a source names, in imports, re-exports and `import()` with a literal. */
export function importsOf(file: string, source: string): readonly ImportedModule[] {
  const { module } = parseSync(file, source);
  const found: { specifier: string; lazy: boolean; start: number }[] = [];
  for (const item of module.staticImports) found.push({ specifier: item.moduleRequest.value, lazy: false, start: item.start });
  for (const item of module.staticExports) {
    for (const entry of item.entries) if (entry.moduleRequest !== null) found.push({ specifier: entry.moduleRequest.value, lazy: false, start: item.start });
  }
  for (const item of module.dynamicImports) {
    const literal = /^(['"])([^'"]+)\1$/.exec(source.slice(item.moduleRequest.start, item.moduleRequest.end).trim());
    if (literal?.[2] !== undefined) found.push({ specifier: literal[2], lazy: true, start: item.start });
  }
  return found.map(({ specifier, lazy, start }) => ({ specifier, lazy, line: source.slice(0, start).split('\n').length }));
}

/** Why the file at `path` (`packages/<name>/src/…` or `/test/…`) may not name this module, or `undefined`. */
export function refusal(path: string, module: ImportedModule): string | undefined {
  const [, name = '', part] = path.split('/');
  if (module.specifier.startsWith('.')) {
    const target = normalize(join(dirname(path), module.specifier));
    const own = target.startsWith(`packages/${name}/`);
    const repositoryTest = path.startsWith(`packages/${name}/test/repository/`) && target.startsWith('scripts/');
    return own || repositoryTest ? undefined : `reaches out of its package to ${target}; import by package name`;
  }
  if (part !== 'src') return undefined;
  if (name === 'surface') return `names ${module.specifier}; the surface imports nothing`;
  if (isBuiltin(module.specifier)) return undefined;
  const workspace = WORKSPACE.exec(module.specifier)?.[1];
  if (workspace === undefined) return undefined;
  const allowed = MAY_IMPORT[name] ?? [];
  const lazily = MAY_LOAD_LAZILY[name] ?? [];
  if (allowed.includes(workspace) || (module.lazy && lazily.includes(workspace))) return undefined;
  return `names ${workspace}; ${name} may import ${allowed.join(', ') || 'nothing of the workspace'}`;
}

export const imports: Gate = {
  name: 'imports',
  proves: 'imports follow the direction of the packages and cross them by name only',
  problems: async (root) => {
    const files = (await repositoryFiles(root, 'packages/*.ts', 'packages/*.mts')).filter((file) => /^packages\/[^/]+\/(src|test)\//.test(file));
    const found: string[] = [];
    for (const file of files) {
      for (const module of importsOf(file, await readFile(join(root, file), 'utf8'))) {
        const why = refusal(file, module);
        if (why !== undefined) found.push(`${file}:${module.line} ${why}`);
      }
    }
    return found;
  },
};
