import type { MarkdownNode } from './markdown.js';
import { textNodes, type AdfMark, type AdfNode } from './node.js';

/** Deeper nesting is written as plain text. */
export const DEEPEST = 12;

export interface Context {
  /** Where the reference links of a text lead, by their identifier. */
  readonly links: ReadonlyMap<string, string>;
  readonly depth: number;
}

/** The content of a paragraph or heading. Line breaks of the source are kept: what is reported stands line by line. */
export function inlineNodes(nodes: readonly MarkdownNode[], context: Context, marks: readonly AdfMark[] = []): readonly AdfNode[] {
  return nodes.flatMap((node) => inlineNode(node, context, marks));
}

function inlineNode(node: MarkdownNode, context: Context, marks: readonly AdfMark[]): readonly AdfNode[] {
  const inside = (mark: AdfMark, children: readonly MarkdownNode[]): readonly AdfNode[] =>
    context.depth >= DEEPEST ? lines(plainText(node, 0), marks) : inlineNodes(children, { ...context, depth: context.depth + 1 }, marks.some(({ type }) => type === mark.type) ? marks : [...marks, mark]);
  switch (node.type) {
    case 'text':
      return lines(node.value, marks);
    // Raw HTML stays text, so that a marker survives.
    case 'html':
      return lines(node.value, marks);
    case 'inlineCode':
      // Of the other marks only a link may stand beside it.
      return textNodes(node.value.replace(/\s*\n\s*/g, ' '), [...marks.filter(({ type }) => type === 'link'), { type: 'code' }]);
    case 'break':
      return [{ type: 'hardBreak' }];
    case 'strong':
      return inside({ type: 'strong' }, node.children);
    case 'emphasis':
      return inside({ type: 'em' }, node.children);
    case 'link':
      return linked(node, node.url, context, marks);
    case 'linkReference':
      return linked(node, context.links.get(node.identifier), context, marks);
    case 'image':
      return lines(`${node.alt ?? ''} (${node.url})`.trim(), marks);
    case 'imageReference':
      return lines(`${node.alt ?? ''} (${context.links.get(node.identifier) ?? node.identifier})`.trim(), marks);
    default:
      return lines(plainText(node, 0), marks);
  }
}

function linked(node: MarkdownNode & { readonly children: readonly MarkdownNode[] }, url: string | undefined, context: Context, marks: readonly AdfMark[]): readonly AdfNode[] {
  const deeper = { ...context, depth: context.depth + 1 };
  if (context.depth >= DEEPEST) return lines(plainText(node, 0), marks);
  if (url !== undefined && isAddress(url)) return inlineNodes(node.children, deeper, [...marks.filter(({ type }) => type !== 'link'), { type: 'link', attrs: { href: url } }]);
  // Jira refuses a link that leads nowhere; its words are kept.
  return [...inlineNodes(node.children, deeper, marks), ...(url === undefined ? [] : lines(` (${url})`, marks))];
}

/** What Jira takes for the target of a link. */
function isAddress(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(url) && URL.canParse(url);
}

/** Text with its line breaks. */
export function lines(text: string, marks: readonly AdfMark[]): readonly AdfNode[] {
  return text.split(/\r\n|\r|\n/).flatMap((line, index) => [...(index === 0 ? [] : [{ type: 'hardBreak' }]), ...textNodes(line, marks)]);
}

/** All words of a node, whatever it is. */
export function plainText(node: MarkdownNode, depth: number): string {
  if ('value' in node) return node.value;
  if (!('children' in node) || depth > 400) return '';
  return (node.children as readonly MarkdownNode[]).map((child) => plainText(child, depth + 1)).join(isBlockParent(node) ? '\n' : '');
}

function isBlockParent({ type }: MarkdownNode): boolean {
  return type === 'blockquote' || type === 'list' || type === 'listItem';
}
