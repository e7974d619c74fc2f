import { isDeepStrictEqual } from 'node:util';
import { isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { Recent } from '../../../recent.js';
import { MatterProblem, parseMatter, wordsOf } from './matter.js';
import { encode, type Raw } from './raw.js';
import { yamlList, yamlWord } from './words.js';

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A ticket goes to and fro between a few states. Counted in characters. */
const set = new Recent<Raw>(512 * 1024);

/**
 * Sets one word. Only its characters change, in the style that is there. Nothing is written whose other keys would read differently than before: an anchor that others
 * refer to is a matter for a person.
 */
export function setWord(raw: Raw, key: 'title' | 'status' | 'assignee', word: string, eol: string): Raw {
  const edit = [key, word, eol, raw].join('\0');
  const known = set.get(edit);
  if (known !== undefined) return known;
  const after = withWord(raw, key, word, eol);
  set.put(edit, after, edit.length + after.length);
  return after;
}

function withWord(raw: Raw, key: 'title' | 'status' | 'assignee', word: string, eol: string): Raw {
  const parsed = parseMatter(raw);
  const { text, map } = parsed;
  const pair = pairAt(map, key);
  const place = map?.flow === true ? 'item' : 'value';
  const node = pair?.value;
  const splice = pair === undefined ? added(text, map, `${key}: ${yamlWord(word, place)}`, eol)
    : replaced(text, pair, yamlWord(word, place, isScalar(node) ? node.type : undefined), eol);
  return apply(parsed, splice, key, [word]);
}

/** Adds words to a list, behind those that are there. Words that are there are not added. */
export function addWords(raw: Raw, key: 'labels', words: readonly string[], eol: string): Raw {
  const parsed = parseMatter(raw);
  const { text, document, map } = parsed;
  const present = wordsOf(document, map, key);
  const more = [...new Set(words)].filter((word) => !present.includes(word));
  if (more.length === 0) return raw;
  const pair = pairAt(map, key);
  const node = pair?.value;
  const list = [...present, ...more];
  const splice = pair === undefined ? added(text, map, `${key}: ${yamlList(list)}`, eol)
    : isSeq(node) && node.items.length > 0 ? extended(text, node.flow === true, node.items, more, eol)
      : replaced(text, pair, yamlList(list), eol);
  // What is in a list already may be no text to other readers.
  const before: unknown = plain(document.toJS())[key];
  return apply(parsed, splice, key, [list, ...(Array.isArray(before) ? [[...(before as unknown[]), ...more]] : [])]);
}

function pairAt(map: YAMLMap | undefined, key: string): Pair<Node, Node | null> | undefined {
  return map?.items.find((pair) => isScalar(pair.key) && pair.key.value === key) as Pair<Node, Node | null> | undefined;
}

/** A new key at the end. */
function added(text: string, map: YAMLMap | undefined, content: string, eol: string): Splice | undefined {
  if (map?.flow !== true) return { from: text.length, to: text.length, text: `${text !== '' && !text.endsWith('\n') ? eol : ''}${content}${eol}` };
  const last = map.items.at(-1) as Pair<Node, Node | null> | undefined;
  const at = last === undefined ? (map.range?.[0] ?? 0) + 1 : (last.value ?? last.key).range?.[1];
  return at === undefined ? undefined : { from: at, to: at, text: `${last === undefined ? '' : ', '}${content}` };
}

function replaced(text: string, { key, value }: Pair<Node, Node | null>, content: string, eol: string): Splice | undefined {
  const [from, to] = value?.range ?? [0, 0];
  if (from === to) {
    // A key without a value: its place is right behind the colon, before any comment.
    const after = (key.range?.[1] ?? 0) + (/^[ \t]*:/.exec(text.slice(key.range?.[1]))?.[0].length ?? 0);
    return { from: after, to: after, text: ` ${content}` };
  }
  // The range of what stands in lines of its own ends with a line break.
  return { from, to, text: `${content}${text.slice(from, to).endsWith('\n') ? eol : ''}` };
}

function extended(text: string, flow: boolean, items: readonly unknown[], words: readonly string[], eol: string): Splice | undefined {
  const range = (items.at(-1) as Node | null)?.range;
  if (!range) return undefined;
  if (flow) return { from: range[1], to: range[1], text: words.map((word) => `, ${yamlWord(word, 'item')}`).join('') };
  const indent = /(?:^|\n)([ \t]*)-[^\n]*$/.exec(text.slice(0, range[0]))?.[1];
  const feed = text.indexOf('\n', Math.max(range[0], range[1] - 1));
  if (indent === undefined || feed === -1) return undefined;
  return { from: feed + 1, to: feed + 1, text: words.map((word) => `${indent}- ${yamlWord(word, 'value')}${eol}`).join('') };
}

/** `meant`: what other readers may see at the key afterwards. */
function apply({ text, document }: ReturnType<typeof parseMatter>, splice: Splice | undefined, key: string, meant: readonly unknown[]): Raw {
  const before = plain(document.toJS());
  const after = encode(splice === undefined ? text : `${text.slice(0, splice.from)}${splice.text}${text.slice(splice.to)}`);
  if (meant.some((value) => reads(after, { ...before, [key]: value }))) return after;
  throw new MatterProblem(`has front matter in which \`${key}\` cannot be changed without changing something else`);
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
