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

/** The number of an attempt. */
function attemptOf(attempt: string): number {
  const logical = logicalOf(attempt);
  return logical === attempt ? 1 : Number(attempt.slice(logical.length + ATTEMPT.length));
}

/** `<ticket>:<node>`: the title of a mailbox, a terminal and a session. */
export function titleOf(ticket: string, node: string): string {
  return `${ticket}:${node}`;
}

export const markers = {
  summary: (visitId: string): string => `${visitId}:summary`,
  feedback: (visitId: string): string => `${visitId}:feedback`,
  /** Of an attempt, so that each cancelation is told. That of the first carries the logical id, as all did before. */
  cancellation: (attempt: string): string => `${attempt}:cancellation`,
  /** Of the attempt that begins. */
  restart: (attempt: string): string => `${attempt}:restart`,
} as const;

/** What the markers of a ticket's comments tell about its run, for a server whose database does not know of it: the last attempt, and whether that was canceled. Pure. */
export function toldAttempts(told: readonly string[], logical: string): { readonly latest: number; readonly canceled: boolean } {
  const own = told.map((marker) => marker.replace(/:(?:cancellation|restart)$/, '')).filter((attempt, index) => attempt !== told[index] && logicalOf(attempt) === logical);
  const latest = Math.max(1, ...own.map(attemptOf).filter(Number.isSafeInteger));
  return { latest, canceled: told.includes(markers.cancellation(attemptId(logical, latest))) };
}
