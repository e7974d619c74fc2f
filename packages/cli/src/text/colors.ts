import { styleText } from 'node:util';

export interface Colors {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const same = (text: string): string => text;

export const NO_COLORS: Colors = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

const ANSI_COLORS: Colors = {
  bold: (text) => style('bold', text),
  dim: (text) => style('dim', text),
  red: (text) => style('red', text),
  green: (text) => style('green', text),
  yellow: (text) => style('yellow', text),
  cyan: (text) => style('cyan', text),
};

// Newer versions of Node ask their own stream first; here it was decided already.
function style(format: keyof Colors, text: string): string {
  return text === '' ? '' : styleText(format, text, { validateStream: false });
}

/** Whether to color: `NO_COLOR` forbids, `FORCE_COLOR` demands, and otherwise a terminal that is not dumb gets colors. */
export function colorsFor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Colors {
  return wantsColor(isTerminal, env) ? ANSI_COLORS : NO_COLORS;
}

function wantsColor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = env;
  if (no !== undefined && no !== '') return false;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTerminal && term !== 'dumb';
}
