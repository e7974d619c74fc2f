import { isAlias, isMap, isScalar, isSeq, parseDocument, LineCounter, type Document, type Node, type YAMLMap } from 'yaml';
import { boundsProblem } from '../../../workflow/yaml/read-yaml.js';
import { Recent } from '../../../recent.js';
import { decode, type Raw } from './raw.js';

/** Front matter that was read: the words of a ticket. Keys that are not ours are not looked at. */
export interface Matter {
  readonly title?: string;
  readonly status?: string;
  readonly type?: string;
  readonly assignee?: string;
  readonly labels: readonly string[];
  readonly blockedBy: readonly string[];
}

export type MatterKey = keyof Matter;

/** Why front matter cannot be read or changed, as the rest of a sentence: it goes behind the name of a file. */
export class MatterProblem extends Error {}

/** Parsed, with the places of everything in `text`. */
export function parseMatter(raw: Raw): { readonly text: string; readonly document: Document.Parsed; readonly map: YAMLMap | undefined } {
  const text = decode(raw);
  if (text === undefined) throw new MatterProblem('has front matter that is not UTF-8');
  if (boundsProblem(text) !== undefined) throw new MatterProblem('has front matter that is too large or nested too deep to be read');
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent', lineCounter: lines });
  const [error] = document.errors;
  // The first line of the file is the fence, which is not in the text.
  if (error !== undefined) throw new MatterProblem(`has front matter that is not YAML (line ${lines.linePos(error.pos[0]).line + 1}: ${error.message.split('\n')[0]?.replace(/[.:]+$/, '')})`);
  const { contents } = document;
  if (contents !== null && !isMap(contents) && !(isScalar(contents) && contents.value === null)) throw new MatterProblem('has front matter that is not a list of `key: value`');
  return { text, document, map: isMap(contents) ? contents : undefined };
}

/** Front matter is read far more often than it changes. Counted in characters. */
const read = new Recent<Matter>(512 * 1024);

/** Throws `MatterProblem`. */
export function readMatter(raw: Raw): Matter {
  const known = read.get(raw);
  if (known !== undefined) return known;
  const matter = matterOf(raw);
  read.put(raw, matter, raw.length);
  return matter;
}

function matterOf(raw: Raw): Matter {
  const { document, map } = parseMatter(raw);
  const word = (key: MatterKey): Record<string, string> => {
    const node = nodeAt(document, map, key);
    const value = wordOf(node);
    if (value === undefined && node !== undefined && !(isScalar(node) && node.value === null)) throw new MatterProblem(`has a \`${key}\` that is not a word or a line of text`);
    return value === undefined || value.trim() === '' ? {} : { [key]: value.trim() };
  };
  return { ...word('title'), ...word('status'), ...word('type'), ...word('assignee'), labels: wordsOf(document, map, 'labels'), blockedBy: wordsOf(document, map, 'blockedBy') };
}

/** A list of words; one word alone is a list of one. */
export function wordsOf(document: Document.Parsed, map: YAMLMap | undefined, key: MatterKey): readonly string[] {
  const node = nodeAt(document, map, key);
  const items = node === undefined ? [] : isSeq(node) ? node.items : [node];
  return items.flatMap((item) => {
    const resolved = isAlias(item) ? item.resolve(document) : item;
    const word = wordOf(resolved);
    if (word !== undefined) return word.trim() === '' ? [] : [word.trim()];
    if (resolved === undefined || resolved === null || (isScalar(resolved) && resolved.value === null)) return [];
    throw new MatterProblem(`has \`${key}\` that are not a list of words`);
  });
}

export function nodeAt(document: Document.Parsed, map: YAMLMap | undefined, key: string): Node | undefined {
  const node = map?.get(key, true) as Node | null | undefined;
  if (isAlias(node)) return node.resolve(document);
  return node ?? undefined;
}

/** What stands there, in the characters of the file: `007` and `true` are words here. */
function wordOf(node: unknown): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : node.source;
}
