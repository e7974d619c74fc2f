import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** What a comment becomes when a forge parses it. */
export interface Rendered {
  /** The kinds of markup in the quotation. */
  readonly kinds: ReadonlySet<string>;
  /** What a reader sees of the quotation, line by line. */
  readonly lines: readonly string[];
  /** The part of that outside of code, where forges look for references. */
  readonly texts: readonly string[];
}

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

export function rendered(markdown: string): Rendered {
  const tree: Node = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const kinds = new Set<string>();
  const texts: string[] = [];
  let shown = '';
  const visit = (node: Node): void => {
    kinds.add(node.type);
    if (node.type === 'text') texts.push(node.value ?? '');
    shown += node.type === 'break' ? '\n' : node.value ?? '';
    node.children?.forEach(visit);
  };
  tree.children?.filter((node) => node.type === 'blockquote').forEach(visit);
  return { kinds, texts, lines: shown.split('\n') };
}

/** What forges make references of, in text that is not code. */
export const REFERENCES: readonly RegExp[] = [
  /[@＠]\w/, /[#＃!~%$^&]\w/, /\b[a-z][a-z0-9]*-\d/i, /\b[0-9a-f]{7,40}\b/i, /:[\w+-]+:/, /\w:\/\//, /\bwww\./i, /\[.*\]/, /^\/\w/,
];

/** What programs look for in a comment that they do not parse. */
export const TRIGGERS: readonly RegExp[] = [/@/, /</, /\]\(/, /!\[/, /:\/\//, /www\./i, /(^|[ \n])\//, /#\w/, /```/];
