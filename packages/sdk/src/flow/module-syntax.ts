/** What a module's text asks of its loader. Offsets are UTF-16 units into the text. */
export interface ModuleSyntax {
  readonly imports: readonly ImportSite[];
  /** Offsets of each `import.meta`. */
  readonly metas: readonly number[];
  /** Specifiers given to `require` by CommonJS files in the bundle. */
  readonly requires: readonly string[];
  readonly hasDefaultExport: boolean;
}

export interface ImportSite {
  /** `import … from 'x'` and `export … from 'x'`, or `import(x)`. */
  readonly kind: 'static' | 'dynamic';
  /** Absent for `import(x)` where x is not a literal. */
  readonly specifier?: string;
  /** The literal with its quotes, or the argument of `import()`. */
  readonly start: number;
  readonly end: number;
  /** Where the keyword `import` or `export` begins. */
  readonly statement: number;
}

const DYNAMIC_NOT_META = 0;
const META = -2;

/** esbuild's name for `require` in a bundled CommonJS file that calls for something outside of the bundle. */
const REQUIRE = /\b__require\(("(?:[^"\\\n]|\\.)*")\)/g;

/** Loads the lexer ahead of its first use; it can be had while esbuild runs. */
export async function loadLexer(): Promise<typeof import('es-module-lexer')> {
  const lexer = await import('es-module-lexer');
  await lexer.init;
  return lexer;
}

/** Reads the imports of a bundle. Only for what esbuild printed: the lexer expects a module that parses. */
export async function readModuleSyntax(code: string): Promise<ModuleSyntax> {
  const { parse } = await loadLexer();
  const [imports, exports] = parse(code);
  return {
    imports: imports.filter(({ d }) => d !== META).map(({ n, s, e, ss, d }) => {
      const dynamic = d >= DYNAMIC_NOT_META;
      return {
        kind: dynamic ? 'dynamic' : 'static',
        ...(n === undefined ? {} : { specifier: n }),
        start: dynamic ? s : s - 1,
        end: dynamic ? e : e + 1,
        statement: ss,
      };
    }),
    metas: imports.filter(({ d }) => d === META).map(({ ss }) => ss),
    requires: [...new Set([...code.matchAll(REQUIRE)].map(([, literal = '""']) => JSON.parse(literal) as string))],
    hasDefaultExport: exports.some(({ n }) => n === 'default'),
  };
}
