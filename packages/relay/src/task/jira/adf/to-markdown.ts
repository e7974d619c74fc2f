import { adfText, atom, isNode } from './text.js';

const DEEPEST = 50;

/** A document as Markdown for an agent to read: headings, lists, quotations, code and links keep their form, everything else is its words. */
export function toMarkdown(value: unknown): string {
  return blocks(value, 0).join('\n\n').trim();
}

function blocks(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return [value];
  if (depth > DEEPEST) return [adfText(value)];
  return contentOf(value).map((node) => block(node, depth + 1)).filter((text) => text !== '');
}

function block(node: Record<string, unknown>, depth: number): string {
  const attrs = isNode(node['attrs']) ? node['attrs'] : {};
  switch (node['type']) {
    case 'paragraph':
      return inline(node);
    case 'heading':
      return `${'#'.repeat(clamp(attrs['level'], 1, 6))} ${inline(node)}`;
    case 'codeBlock': {
      const code = contentOf(node).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
      const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)));
      return `${fence}${typeof attrs['language'] === 'string' ? attrs['language'] : ''}\n${code}\n${fence}`;
    }
    case 'rule':
      return '---';
    case 'blockquote':
      return blocks(node, depth).join('\n\n').split('\n').map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
    case 'bulletList':
      return items(node, depth, () => '- ');
    case 'orderedList':
      return items(node, depth, (index) => `${clamp(attrs['order'], 0, 999_999) + index}. `);
    case 'taskList':
      return items(node, depth, (_, item) => (isNode(item['attrs']) && item['attrs']['state'] === 'DONE' ? '- [x] ' : '- [ ] '));
    case 'table':
      return contentOf(node).map((row) => `| ${contentOf(row).map((cell) => adfText(cell).replaceAll('\n', ' ')).join(' | ')} |`).join('\n');
    default:
      return Array.isArray(node['content']) && contentOf(node).some(({ content }) => Array.isArray(content)) ? blocks(node, depth).join('\n\n') : inline(node);
  }
}

function items(node: Record<string, unknown>, depth: number, bullet: (index: number, item: Record<string, unknown>) => string): string {
  return contentOf(node).map((item, index) => {
    const mark = bullet(index, item);
    const text = item['type'] === 'taskItem' ? inline(item) : blocks(item, depth).join('\n');
    return `${mark}${text.replaceAll('\n', `\n${' '.repeat(mark.length)}`)}`;
  }).join('\n');
}

function inline(node: Record<string, unknown>): string {
  if (!Array.isArray(node['content'])) return typeof node['text'] === 'string' ? node['text'] : atom(node['attrs']);
  return contentOf(node).map((part) => {
    if (part['type'] === 'hardBreak') return '\n';
    const text = typeof part['text'] === 'string' ? part['text'] : adfText(part);
    const marks = Array.isArray(part['marks']) ? part['marks'].filter(isNode) : [];
    const code = marks.some(({ type }) => type === 'code') ? `\`${text}\`` : text;
    const href = marks.map(({ type, attrs }) => (type === 'link' && isNode(attrs) ? attrs['href'] : undefined)).find((one) => typeof one === 'string');
    return href === undefined || href === text ? code : `[${code}](${href})`;
  }).join('');
}

function contentOf(value: unknown): readonly Record<string, unknown>[] {
  return isNode(value) && Array.isArray(value['content']) ? value['content'].filter(isNode) : [];
}

function clamp(value: unknown, least: number, most: number): number {
  return typeof value === 'number' && Number.isInteger(value) ? Math.min(most, Math.max(least, value)) : Math.max(1, least);
}
