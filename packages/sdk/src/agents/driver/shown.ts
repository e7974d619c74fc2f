import path from 'node:path';
import { textOf, type JsonRecord } from './record.js';

/** The longest summary of a call, in characters. */
const LONGEST = 200;

/** A file as people are told of it: from the directory that the agent works in where it lies below it, else as the CLI named it. Pure. */
export function shownPath(cwd: string, file: string): string {
  const relative = path.relative(cwd, path.resolve(cwd, file));
  const isBelow = relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  return isBelow ? relative : file;
}

/** What a tool was asked for: the first of these members of its input that is a text, else the whole input. Paths are told as `shownPath` does. Pure. */
export function shownCall(input: JsonRecord, { cwd, telling }: { readonly cwd: string; readonly telling: readonly string[] }): string {
  const name = telling.find((member) => textOf(input[member]) !== undefined);
  const told = name === undefined ? undefined : textOf(input[name]);
  if (name === undefined || told === undefined) return shortened(JSON.stringify(input));
  return shortened(/path$/i.test(name) ? shownPath(cwd, told) : told);
}

/** A text that is not too long for a line. Pure. */
export function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
