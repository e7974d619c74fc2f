/** A node of the Atlassian Document Format, as it is written. What is read may hold anything. */
export interface AdfNode {
  readonly type: string;
  readonly attrs?: Readonly<Record<string, string | number>>;
  readonly content?: readonly AdfNode[];
  readonly text?: string;
  readonly marks?: readonly AdfMark[];
}

export interface AdfMark {
  readonly type: 'strong' | 'em' | 'code' | 'link';
  readonly attrs?: { readonly href: string };
}

export interface AdfDocument extends AdfNode {
  readonly version: 1;
  readonly type: 'doc';
  readonly content: readonly AdfNode[];
}

export function documentOf(content: readonly AdfNode[]): AdfDocument {
  return { version: 1, type: 'doc', content };
}

export function paragraph(content: readonly AdfNode[]): AdfNode {
  return { type: 'paragraph', content };
}

/** Text as Jira takes it: without the control characters it refuses, and without halves of characters. Empty text makes no node, since Jira refuses an empty one. */
export function textNodes(text: string, marks: readonly AdfMark[] = []): readonly AdfNode[] {
  const clean = plain(text);
  return clean === '' ? [] : [{ type: 'text', text: clean, ...(marks.length === 0 ? {} : { marks }) }];
}

export function plain(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g, '');
}
