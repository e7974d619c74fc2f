import { fromMarkdown } from 'mdast-util-from-markdown';
import { DEEPEST, inlineNodes, lines, plainText, type Context } from './inline.js';
import { paragraph, plain, type AdfMark, type AdfNode } from './node.js';

type Root = ReturnType<typeof fromMarkdown>;
export type MarkdownNode = Root['children'][number];

/** A line within so many quotations and lists is nothing that somebody meant, and reading it takes time that grows with the square of their number. */
const TOO_DEEP = /^(?:[ \t]{0,4}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){100}/m;

/** Where blocks stand decides which may: a list item holds no heading, a quotation no quotation. */
type Place = 'document' | 'item' | 'quote';

/** Markdown as the blocks of a document. Every word is kept; what the format has no place for is written as text. */
export function fromMarkdownText(markdown: string): readonly AdfNode[] {
  const clean = plain(markdown);
  if (TOO_DEEP.test(clean)) return [paragraph(lines(clean, []))];
  const root = fromMarkdown(clean);
  return blocks(root.children, { links: linksIn(root), depth: 0 }, 'document');
}

function blocks(nodes: readonly MarkdownNode[], context: Context, place: Place): readonly AdfNode[] {
  return nodes.flatMap((node) => block(node, context, place));
}

function block(node: MarkdownNode, context: Context, place: Place): readonly AdfNode[] {
  const deeper = { ...context, depth: context.depth + 1 };
  switch (node.type) {
    case 'paragraph':
      return [paragraph(inlineNodes(node.children, context))];
    case 'heading':
      return place === 'document'
        ? [{ type: 'heading', attrs: { level: node.depth }, content: inlineNodes(node.children, context) }]
        : [paragraph(inlineNodes(node.children, context, [{ type: 'strong' } satisfies AdfMark]))];
    case 'code':
      return [codeBlock(node.value, node.lang === null || node.lang === undefined ? undefined : plain(node.lang).trim())];
    case 'thematicBreak':
      return place === 'document' ? [{ type: 'rule' }] : [paragraph(lines('---', []))];
    case 'html':
      return [paragraph(lines(node.value, []))];
    case 'definition':
      return [paragraph(lines(`[${node.label ?? node.identifier}]: ${node.url}`, []))];
    case 'blockquote':
      if (context.depth >= DEEPEST) return [paragraph(lines(plainText(node, 0), []))];
      return place === 'document' ? quotation(blocks(node.children, deeper, 'quote')) : blocks(node.children, deeper, place);
    case 'list':
      if (context.depth >= DEEPEST) return [paragraph(lines(plainText(node, 0), []))];
      return [list(node, deeper)];
    default:
      return [paragraph(inlineNodes([node], context))];
  }
}

function quotation(content: readonly AdfNode[]): readonly AdfNode[] {
  return [{ type: 'blockquote', content: content.length === 0 ? [paragraph([])] : content }];
}

function list(node: Extract<MarkdownNode, { type: 'list' }>, context: Context): AdfNode {
  const content = node.children.map((item) => ({ type: 'listItem', content: itemContent(blocks(item.children, context, 'item')) }));
  return node.ordered === true ? { type: 'orderedList', attrs: { order: node.start ?? 1 }, content } : { type: 'bulletList', content };
}

/** An item begins with words or code. */
function itemContent(content: readonly AdfNode[]): readonly AdfNode[] {
  const [first] = content;
  return first?.type === 'paragraph' || first?.type === 'codeBlock' ? content : [paragraph([]), ...content];
}

function codeBlock(value: string, language: string | undefined): AdfNode {
  return { type: 'codeBlock', ...(language === undefined || language === '' ? {} : { attrs: { language } }), content: value === '' ? [] : [{ type: 'text', text: value }] };
}

function linksIn(root: Root): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const node of root.children) if (node.type === 'definition' && !links.has(node.identifier)) links.set(node.identifier, node.url);
  return links;
}
