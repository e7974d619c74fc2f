import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CONSOLE } from './bundle.js';
import type { ImportSite, ModuleSyntax } from './module-syntax.js';
import { scopeExpression } from './scope.js';
import { lineAndColumn, readCodeMap } from './source-map.js';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Turns a sealed module into one that can be imported from anywhere: packages by absolute URL, and `console`, `import.meta`, `import()` and `require`
 * bound to the author's file.
 *
 * What is put in place of `import.meta` and `import` has the same length, and the added declarations stand on the first line, where esbuild prints no
 * code of the author, so that the source map stays true.
 */
export function rewriteModule(args: {
  readonly code: string;
  readonly map: string;
  readonly syntax: ModuleSyntax;
  /** Absolute path of the author's file. */
  readonly file: string;
  /** Absolute URL by bare import; one that is absent is looked for when it is called. */
  readonly urls: ReadonlyMap<string, string>;
}): string {
  const { code, syntax, file, urls } = args;
  const scopes = new ScopeNames(code);
  const fileOf = sourceFinder(args);
  const edits: Edit[] = [
    ...syntax.imports.flatMap((site) => editImport(site, urls, (offset) => scopes.name('load', fileOf(offset)))),
    ...syntax.metas.map((start) => ({ start, end: start + 'import.meta'.length, text: scopes.name('meta', fileOf(start)) })),
  ];
  if (code.includes(CONSOLE)) scopes.bind('console', file, CONSOLE);
  if (code.includes('var __require =')) scopes.bind('require', file, 'require');
  return `${scopes.declarations()}${applyEdits(code, edits)}//# sourceMappingURL=${absoluteMap(args.map, dirname(file))}\n`;
}

function editImport(site: ImportSite, urls: ReadonlyMap<string, string>, loader: (offset: number) => string): readonly Edit[] {
  const url = site.specifier === undefined ? undefined : urls.get(site.specifier);
  if (url !== undefined) return url === site.specifier ? [] : [{ start: site.start, end: site.end, text: JSON.stringify(url) }];
  return site.kind === 'static' ? [] : [{ start: site.statement, end: site.statement + 'import'.length, text: loader(site.statement) }];
}

function applyEdits(code: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push(code.slice(from, start), text);
    from = end;
  }
  return [...pieces, code.slice(from)].join('');
}

/** Which author's file a piece of the bundle comes from: `./lib/x.ts` has an `import.meta` of its own. */
function sourceFinder({ code, map, file }: { readonly code: string; readonly map: string; readonly file: string }): (offset: number) => string {
  const find = readCodeMap(map, dirname(file));
  return (offset) => {
    const { line, column } = lineAndColumn(code, offset);
    return find(line, column)?.path ?? file;
  };
}

/** Hands out names that occur nowhere in the code, and declares them. */
class ScopeNames {
  readonly #declared = new Map<string, { readonly member: string; readonly file: string; readonly name: string }>();
  readonly #stem: string;

  constructor(code: string) {
    this.#stem = ['$f', '$g', '$h', '$m', '$r', '$w'].find((stem) => !code.includes(stem)) ?? '$z';
  }

  /** `meta` has eleven characters like `import.meta`, `load` six like `import`. */
  name(member: 'meta' | 'load', file: string): string {
    const known = this.#declared.get(`${member} ${file}`);
    if (known !== undefined) return known.name;
    const length = member === 'meta' ? 'import.meta'.length : 'import'.length;
    const name = this.#stem + this.#declared.size.toString(36).padStart(length - this.#stem.length, '0');
    this.bind(member, file, name);
    return name;
  }

  bind(member: string, file: string, name: string): void {
    this.#declared.set(`${member} ${file}`, { member, file, name });
  }

  declarations(): string {
    return [...this.#declared.values()]
      .map(({ member, file, name }) => `const ${name} = ${scopeExpression(pathToFileURL(file).href)}.${member}; `)
      .join('');
  }
}

/** The map with its sources as file URLs, for debuggers and `--enable-source-maps`. */
function absoluteMap(map: string, directory: string): string {
  const parsed = JSON.parse(map) as object;
  const text = JSON.stringify({ ...parsed, sourceRoot: `${pathToFileURL(directory).href}/` });
  return `data:application/json;base64,${Buffer.from(text).toString('base64')}`;
}
