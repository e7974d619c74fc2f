import { scanMarkdown, type CodeBlock } from '../body/markdown-lines.js';

/** Marks that make GitLab treat a merge request as a draft; `WIP` is what older ones say. */
const DRAFT_MARK = /^\s*(?:\[(?:draft|wip)\]|\((?:draft|wip)\)|(?:draft|wip):)\s*/i;

/** The title without marks of a draft. One that is nothing else stays. */
export function withoutDraftMark(title: string): string {
  let bare = title;
  while (DRAFT_MARK.test(bare)) bare = bare.replace(DRAFT_MARK, '');
  return bare === '' ? title : bare;
}

/** The title by which GitLab makes a merge request a draft, or not. */
export function draftTitle(title: string, draft: boolean): string {
  return draft ? `Draft: ${withoutDraftMark(title)}` : withoutDraftMark(title);
}

const QUICK_ACTION = /^(\s*)\/(?=[a-z])/i;

/**
 * A text in which no line is a quick action. GitLab executes lines such as `/merge` or `/close` of descriptions and comments, and texts that agents wrote
 * may hold them; a backslash in front shows the same and does nothing. Code blocks stay as they are, where every version of GitLab takes them for such.
 */
export function withoutQuickActions(text: string): string {
  const { lines } = scanMarkdown(text);
  // Some versions look for three backticks at the start of a line, and nothing else.
  const doubtful = new Set<CodeBlock>();
  lines.forEach(({ text: line, block }, index) => {
    if (block === undefined) return;
    const edge = lines[index - 1]?.block !== block || lines[index + 1]?.block !== block;
    if (!block.closed || !block.fence.startsWith('`') || (!edge && line.startsWith('```'))) doubtful.add(block);
  });
  return lines.map(({ text: line, block }) => (block === undefined || doubtful.has(block) ? line.replace(QUICK_ACTION, '$1\\/') : line)).join('\n');
}
