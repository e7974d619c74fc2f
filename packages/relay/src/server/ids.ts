/** `repo/workflow/ticket`, each part URL-escaped: the same ticket in the same workflow, over all of its attempts. */
export function logicalRunId(of: { readonly repo: string; readonly workflow: string; readonly ticket: string }): string {
  return [of.repo, of.workflow, of.ticket].map((part) => encodeURIComponent(part).replaceAll('~', '%7E')).join('/');
}

const ATTEMPT = '~attempt~';

/** Attempt 1 is the logical id itself. */
export function attemptId(logical: string, attempt: number): string {
  return attempt === 1 ? logical : `${logical}${ATTEMPT}${attempt}`;
}

/** The logical id of an attempt: what stands before the last `~attempt~`. */
export function logicalOf(attempt: string): string {
  const at = attempt.lastIndexOf(ATTEMPT);
  return at === -1 ? attempt : attempt.slice(0, at);
}

/** `<ticket>:<node>`: the title of a mailbox, a terminal and a session. */
export function titleOf(ticket: string, node: string): string {
  return `${ticket}:${node}`;
}

export const markers = {
  summary: (visitId: string): string => `${visitId}:summary`,
  feedback: (visitId: string): string => `${visitId}:feedback`,
  cancellation: (logical: string): string => `${logical}:cancellation`,
} as const;
