import { createRequire } from 'node:module';
import type * as Re2 from 're2js';

export const PATTERN_MAX_CHARACTERS = 8_192;

export type CompiledPattern = { readonly ok: true; readonly test: (text: string) => boolean } | { readonly ok: false; readonly problem: string };

let engine: typeof Re2 | undefined;

/** Compiles a pattern in RE2 syntax, whose matching takes time in proportion to the text. `flags` holds letters of `ims`. */
export function compileLinearPattern(args: { readonly pattern: string; readonly flags: string }): CompiledPattern {
  // Loading the engine takes as long as starting Node, so only a flow with such a gate pays for it.
  engine ??= createRequire(import.meta.url)('re2js') as typeof Re2;
  const { RE2JS } = engine;
  const bits = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL };
  const flags = args.flags.split('').reduce((sum, flag) => sum | bits[flag as keyof typeof bits], 0);
  try {
    const compiled = RE2JS.compile(args.pattern, flags);
    return { ok: true, test: (text) => compiled.test(text) };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error) };
  }
}
