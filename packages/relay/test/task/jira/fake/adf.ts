/** A document as Jira Cloud takes it: what it would refuse is refused. Independent of the product's own reading and writing. */

type Json = Record<string, unknown>;

const TOP = ['paragraph', 'heading', 'bulletList', 'orderedList', 'codeBlock', 'blockquote', 'rule'];
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  doc: TOP,
  blockquote: ['paragraph', 'bulletList', 'orderedList', 'codeBlock'],
  bulletList: ['listItem'],
  orderedList: ['listItem'],
  listItem: ['paragraph', 'bulletList', 'orderedList', 'codeBlock'],
  paragraph: ['text', 'hardBreak'],
  heading: ['text', 'hardBreak'],
  codeBlock: ['text'],
};
const ATTRS: Readonly<Record<string, readonly string[]>> = { heading: ['level'], orderedList: ['order'], codeBlock: ['language'] };
const NOT_EMPTY = new Set(['bulletList', 'orderedList', 'listItem', 'blockquote']);

/** Why Jira would not take it; `undefined`: it would. */
export function adfProblem(value: unknown): string | undefined {
  if (!isMap(value) || value.type !== 'doc' || value.version !== 1 || !Array.isArray(value.content)) return 'INVALID_INPUT: not a document';
  return nodeProblem(value, 'doc', true);
}

function nodeProblem(node: Json, path: string, top = false): string | undefined {
  const { type } = node;
  if (typeof type !== 'string') return `${path}: no type`;
  const keys = new Set([...(top ? ['version'] : []), 'type', ...(type === 'text' ? ['text', 'marks'] : ['content', 'attrs'])]);
  const odd = Object.keys(node).find((key) => !keys.has(key));
  if (odd !== undefined) return `${path}: unknown property ${odd}`;
  if (type === 'text') return textProblem(node, path);
  if (type === 'hardBreak' || type === 'rule') return node.content === undefined && node.attrs === undefined ? undefined : `${path}: ${type} holds something`;
  const allowed = CONTENT[type];
  if (allowed === undefined) return `${path}: unknown node ${type}`;
  const attrs = (node.attrs ?? {}) as Json;
  const wrong = Object.keys(attrs).find((key) => !(ATTRS[type] ?? []).includes(key));
  if (wrong !== undefined) return `${path}: unknown attribute ${wrong}`;
  if (type === 'heading' && !(Number.isInteger(attrs.level) && (attrs.level as number) >= 1 && (attrs.level as number) <= 6)) return `${path}: level`;
  if (type === 'orderedList' && node.attrs !== undefined && !(Number.isInteger(attrs.order) && (attrs.order as number) >= 0)) return `${path}: order`;
  if (type === 'codeBlock' && attrs.language !== undefined && typeof attrs.language !== 'string') return `${path}: language`;
  if (node.content === undefined) return NOT_EMPTY.has(type) ? `${path}: ${type} is empty` : undefined;
  if (!Array.isArray(node.content)) return `${path}: content is no list`;
  const content = node.content as unknown[];
  if (content.length === 0 && NOT_EMPTY.has(type)) return `${path}: ${type} is empty`;
  for (const [index, child] of content.entries()) {
    const at = `${path}.${index}`;
    if (!isMap(child) || typeof child.type !== 'string') return `${at}: no node`;
    if (!allowed.includes(child.type)) return `${at}: ${child.type} in ${type}`;
    if (type === 'listItem' && index === 0 && child.type !== 'paragraph' && child.type !== 'codeBlock') return `${at}: ${child.type} begins an item`;
    if (type === 'codeBlock' && child.marks !== undefined) return `${at}: marks in code`;
    const problem = nodeProblem(child, at);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function textProblem({ text, marks }: Json, path: string): string | undefined {
  if (typeof text !== 'string' || text === '') return `${path}: an empty text`;
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text) || !text.isWellFormed()) return `${path}: characters that are not allowed`;
  if (marks === undefined) return undefined;
  if (!Array.isArray(marks) || marks.length === 0) return `${path}: marks`;
  const types = marks.map((mark: Json) => mark.type as string);
  if (new Set(types).size !== types.length) return `${path}: a mark twice`;
  if (types.includes('code') && types.some((type) => type !== 'code' && type !== 'link')) return `${path}: code beside ${types.join(' ')}`;
  for (const mark of marks as Json[]) {
    if (!['strong', 'em', 'code', 'link'].includes(mark.type as string)) return `${path}: mark ${String(mark.type)}`;
    const href = (mark.attrs as Json | undefined)?.href;
    if (mark.type === 'link' ? typeof href !== 'string' || !/^(https?:\/\/|mailto:)/i.test(href) : mark.attrs !== undefined) return `${path}: attributes of ${String(mark.type)}`;
  }
  return undefined;
}

/** The words that a person reads, a line for each block. */
export function words(value: unknown): string {
  if (!isMap(value)) return '';
  if (value.type === 'text') return value.text as string;
  if (value.type === 'hardBreak') return '\n';
  const inside = ((value.content ?? []) as unknown[]).map(words).join('');
  return ['paragraph', 'heading', 'codeBlock'].includes(value.type as string) ? `${inside}\n` : inside;
}

export function typed(text: string): Json {
  return { version: 1, type: 'doc', content: text.split('\n').map((line) => ({ type: 'paragraph', content: line === '' ? [] : [{ type: 'text', text: line }] })) };
}

export function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
