import type { Colors } from '../text/colors.js';
import { cleanText } from '../text/clean.js';
import type { OpenedChange } from './forge.js';

/** A change request and what it would merge. */
export interface ShownChange extends OpenedChange {
  /** The titles of its commits, the oldest first. */
  readonly commits: readonly string[];
  /** What `git diff --stat` and `git diff` say of the pushed branch. */
  readonly stat: string;
  readonly diff: string;
}

const RULE = 78;

/** A line with a title in it, `── Title ──────`. */
export function rule(title: string, { bold, dim }: Colors): string {
  return `${dim('──')} ${bold(title)} ${dim('─'.repeat(Math.max(2, RULE - title.length - 4)))}`;
}

/** The change request as a person sees it on a forge. Pure. */
export function changeLines(change: ShownChange, colors: Colors): string[] {
  const { bold, dim, green, yellow } = colors;
  const { number, title, branch, base, draft, reviewers, body, comments, commits, stat, diff } = change;
  const state = draft ? yellow('draft') : green('ready for review');
  return [
    rule('The change request it would have opened', colors),
    '',
    bold(`#${number} ${cleanText(title)}`),
    `${state}  ${dim(`${branch} → ${base}`)}${reviewers.length === 0 ? '' : dim(`  asked to review: ${reviewers.join(', ')}`)}`,
    '',
    ...block(body),
    '',
    ...comments.flatMap((comment) => [rule('A comment on it', colors), '', ...block(comment), '']),
    rule(commits.length === 1 ? 'Its commit' : `Its ${commits.length} commits`, colors),
    '',
    ...commits.map((commit) => `  ${cleanText(commit)}`),
    '',
    ...cleanText(stat).split('\n'),
    '',
    ...cleanText(diff).split('\n').map((line) => diffLine(line, colors)),
    '',
  ];
}

/** Markdown as it is, but for what a forge folds away. */
function block(text: string): string[] {
  const unfolded = text.replaceAll(/<details><summary>(.*?)<\/summary>\n*/g, '▸ $1\n\n').replaceAll(/\n*<\/details>/g, '');
  return cleanText(unfolded).trim().split('\n').map((line) => `  ${line}`.trimEnd());
}

function diffLine(line: string, { bold, cyan, dim, green, red }: Colors): string {
  if (line.startsWith('diff ')) return bold(line);
  if (/^(index|---|\+\+\+) /.test(line)) return dim(line);
  if (line.startsWith('@@')) return cyan(line);
  if (line.startsWith('+')) return green(line);
  return line.startsWith('-') ? red(line) : line;
}
