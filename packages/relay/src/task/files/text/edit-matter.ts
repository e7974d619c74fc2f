import { isDeepStrictEqual } from 'node:util';
import { isScalar, isSeq, type Node, type YAMLMap } from 'yaml';
import { MatterProblem, parseMatter, wordsOf } from './matter.js';
import { encode, type Raw } from './raw.js';
import { yamlList, yamlWord } from './words.js';

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Sets one word. Only its characters change. What YAML cannot be cut like that (a flow mapping as the whole, an anchor that others use) is written anew by the YAML
 * library, which keeps comments and meaning but not every blank. Nothing is written whose other keys would read differently than before.
 */
export function setWord(raw: Raw, key: 'title' | 'status' | 'assignee', word: string, eol: string): Raw {
  const { text, map } = parseMatter(raw);
  const node = map?.get(key, true) as Node | undefined;
  const splice = node === undefined ? line(text, map, `${key}: ${yamlWord(word, 'value')}`, eol)
    : replace(text, node, yamlWord(word, 'value', isScalar(node) ? node.type : undefined), eol);
  return apply(raw, splice, key, [word]);
}

/** Adds words to a list, behind those that are there. Words that are there are not added. */
export function addWords(raw: Raw, key: 'labels', words: readonly string[], eol: string): Raw {
  const { text, document, map } = parseMatter(raw);
  const present = wordsOf(document, map, key);
  const added = [...new Set(words)].filter((word) => !present.includes(word));
  if (added.length === 0) return raw;
  const node = map?.get(key, true) as Node | undefined;
  const list = [...present, ...added];
  const splice = node === undefined ? line(text, map, `${key}: ${yamlList(list)}`, eol)
    : isSeq(node) && node.items.length > 0 ? extend(text, node.flow === true, node.items, added, eol)
      : replace(text, node, yamlList(list), eol);
  const before: unknown = plain(document.toJS())[key];
  return apply(raw, splice, key, [list, ...(Array.isArray(before) ? [[...(before as unknown[]), ...added]] : [])]);
}

/** A new line at the end; impossible in `{a: b}`. */
function line(text: string, map: YAMLMap | undefined, content: string, eol: string): Splice | undefined {
  if (map?.flow === true) return undefined;
  const open = text !== '' && !text.endsWith('\n');
  return { from: text.length, to: text.length, text: `${open ? eol : ''}${content}${eol}` };
}

function replace(text: string, node: Node, content: string, eol: string): Splice | undefined {
  if (!node.range) return undefined;
  const [from, to] = node.range;
  // `key:` without a value has its place right behind the colon. A block's range ends with the line break.
  const lead = text[from - 1] === ':' ? ' ' : '';
  const multiline = text.slice(from, to).endsWith('\n');
  return { from, to, text: `${lead}${content}${multiline ? eol : ''}` };
}

function extend(text: string, flow: boolean, items: readonly unknown[], words: readonly string[], eol: string): Splice | undefined {
  const range = (items.at(-1) as Node | null)?.range;
  if (!range) return undefined;
  if (flow) return { from: range[1], to: range[1], text: words.map((word) => `, ${yamlWord(word, 'item')}`).join('') };
  const before = text.slice(0, range[0]);
  const indent = /(?:^|\n)([ \t]*)-[^\n]*$/.exec(before)?.[1];
  const feed = text.indexOf('\n', Math.max(range[0], range[1] - 1));
  if (indent === undefined || feed === -1) return undefined;
  return { from: feed + 1, to: feed + 1, text: words.map((word) => `${indent}- ${yamlWord(word, 'value')}${eol}`).join('') };
}

/** `meant`: what other readers may see at the key afterwards; the first is written when the whole is written anew. */
function apply(raw: Raw, splice: Splice | undefined, key: string, meant: readonly unknown[]): Raw {
  const { text, document } = parseMatter(raw);
  const before = plain(document.toJS());
  const candidates = [...(splice === undefined ? [] : [`${text.slice(0, splice.from)}${splice.text}${text.slice(splice.to)}`]), anew(raw, key, meant[0])];
  for (const candidate of candidates.map(encode)) if (meant.some((value) => reads(candidate, { ...before, [key]: value }))) return candidate;
  throw new MatterProblem(`has front matter in which \`${key}\` cannot be changed without changing something else`);
}

function anew(raw: Raw, key: string, value: unknown): string {
  const { document } = parseMatter(raw);
  document.set(key, document.createNode(value, { flow: true }));
  return document.toString({ lineWidth: 0 });
}

/** As other readers see it: nothing but the one key has changed. */
function reads(raw: Raw, expected: Readonly<Record<string, unknown>>): boolean {
  try {
    return isDeepStrictEqual(plain(parseMatter(raw).document.toJS()), expected);
  } catch {
    return false;
  }
}

function plain(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...(value as Record<string, unknown>) } : {};
}
