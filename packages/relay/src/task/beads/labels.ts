const REPO = 'repo:';
/** Of mailboxes: whatever becomes of their parent, they are never taken for tickets. */
export const MAILBOX = 'relay-flow-mailbox';
/** Beads takes labels of up to 255 characters. */
const LONGEST_LABEL = 255;

export function repoLabel(repo: string): string {
  return `${REPO}${repo.toLowerCase()}`;
}

/** What keeps a repository's name from being a label; `undefined` when nothing does. */
export function labelProblem(repo: string): string | undefined {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(repo) && repoLabel(repo).length <= LONGEST_LABEL) return undefined;
  return `has letters, digits, dots, dashes and underscores, begins with a letter or digit, and has at most ${LONGEST_LABEL - REPO.length} of them`;
}

/** The `repo:` labels of a ticket, as they are compared. Several repositories may share a workspace, and a ticket belongs to one only if it has exactly one. */
export function repoLabelsOf(labels: readonly string[]): readonly string[] {
  return labels.map((label) => label.toLowerCase()).filter((label) => label.startsWith(REPO));
}

export function belongsTo(labels: readonly string[], label: string): boolean {
  const [only, ...more] = repoLabelsOf(labels);
  return only === label && more.length === 0;
}
