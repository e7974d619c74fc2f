/** Blocks after which a line ends. */
const BLOCKS = new Set(['paragraph', 'heading', 'codeBlock', 'blockquote', 'listItem', 'bulletList', 'orderedList', 'rule', 'panel', 'table', 'tableRow', 'tableCell', 'tableHeader', 'expand', 'nestedExpand', 'taskItem', 'decisionItem', 'mediaSingle', 'mediaGroup']);
/** Deeper is nothing that a person wrote. */
const DEEPEST = 200;

/** All words of a document, with a line for each block: what markers are looked for in. Anything may be passed in. */
export function adfText(value: unknown): string {
  return read(value, 0).replace(/\n{2,}/g, '\n').trim();
}

/** Its words with every line end: what may count against a limit. */
export function adfLength(value: unknown): number {
  return read(value, 0).length;
}

/** Whether two documents say the same, however Jira stores it: blanks and forms do not count. */
export function sameWords(a: unknown, b: unknown): boolean {
  return adfText(a).replace(/\s+/g, ' ') === adfText(b).replace(/\s+/g, ' ');
}

function read(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (!isNode(value) || depth > DEEPEST) return '';
  const { type, text, attrs, content } = value;
  if (type === 'hardBreak') return '\n';
  const own = typeof text === 'string' ? text : atom(attrs);
  const words = Array.isArray(content) ? content.map((child) => read(child, depth + 1)).join('') : '';
  return `${own}${words}${typeof type === 'string' && BLOCKS.has(type) ? '\n' : ''}`;
}

/** What a node without content shows: a person, an emoji, a status, the address of a card. */
export function atom(attrs: unknown): string {
  if (!isNode(attrs)) return '';
  const { text, shortName, url } = attrs;
  return [text, shortName, url].find((one): one is string => typeof one === 'string') ?? '';
}

export function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
