/** A line of Markdown, and where it stands. */
export interface MarkdownLine {
  /** Without its end. */
  readonly text: string;
  /** The fence of the code block it belongs to, its first and last line included. */
  readonly block: CodeBlock | undefined;
  /** It begins within a comment. */
  readonly comment: boolean;
}

export interface CodeBlock {
  readonly fence: string;
  /** Whether its end was found. */
  closed: boolean;
}

export interface ScannedMarkdown {
  readonly lines: readonly MarkdownLine[];
  /** What closes all that is open at the end, with a line end in front; empty when nothing is. Anything behind it would be swallowed else. */
  readonly closing: string;
}

/** Tells the lines of a text apart. Knows code blocks with fences, comments and `<details>`: what can be long in descriptions of changes. */
export function scanMarkdown(text: string): ScannedMarkdown {
  const lines: MarkdownLine[] = [];
  let block: CodeBlock | undefined;
  let comment = false;
  let details = 0;
  for (const line of text.split(/\r?\n/)) {
    const [, mark = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (block !== undefined) {
      lines.push({ text: line, block, comment: false });
      if (!mark.startsWith(block.fence) || rest.trim() !== '') continue;
      block.closed = true;
      block = undefined;
      continue;
    }
    // The text behind a fence of backticks holds none: with one it is code within a line.
    if (!comment && mark !== '' && !(mark.startsWith('`') && rest.includes('`'))) block = { fence: mark, closed: false };
    lines.push({ text: line, block, comment });
    if (block !== undefined) continue;
    for (const [token] of line.matchAll(/<!--|-->|<details\b|<\/details>/gi)) {
      if (token === '<!--' || token === '-->') comment = token === '<!--';
      else if (!comment) details = Math.max(0, details + (token.startsWith('</') ? -1 : 1));
    }
  }
  const open = [...(block === undefined ? [] : [block.fence]), ...(comment ? ['-->'] : []), ...Array.from({ length: details }, () => '\n</details>')];
  return { lines, closing: open.map((line) => `\n${line}`).join('') };
}
