import { styleText } from 'node:util';

type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Gives text a color, or leaves it as it is. */
export type Paint = { readonly [color in Color]: (text: string) => string };

function paintWith(color: (name: Color, text: string) => string): Paint {
  const one = (name: Color) => (text: string): string => color(name, text);
  return { bold: one('bold'), dim: one('dim'), red: one('red'), green: one('green'), yellow: one('yellow'), cyan: one('cyan') };
}

export const PLAIN = paintWith((_, text) => text);
// Whether there is a terminal was decided already; newer versions of Node would look at their own.
const PAINTED = paintWith((name, text) => (text === '' ? '' : styleText(name, text, { validateStream: false })));

/** `--no-color` and `NO_COLOR` forbid colors, `FORCE_COLOR` demands them, and otherwise a terminal that can has them. */
export function paintFor({ isTerminal, env, noColor = false }: { readonly isTerminal: boolean; readonly env: Readonly<Record<string, string | undefined>>; readonly noColor?: boolean }): Paint {
  const said = (name: string): string => env[name] ?? '';
  if (noColor || said('NO_COLOR') !== '') return PLAIN;
  if (said('FORCE_COLOR') !== '') return said('FORCE_COLOR') === '0' || said('FORCE_COLOR') === 'false' ? PLAIN : PAINTED;
  return isTerminal && said('TERM') !== 'dumb' ? PAINTED : PLAIN;
}
