/** Every status that `bd` has of its own. `hooked` is an agent's that waits outside; it is never ready. */
export const STATUSES = ['open', 'in_progress', 'blocked', 'deferred', 'hooked', 'closed'] as const;
export type BeadsStatus = (typeof STATUSES)[number];

export const CLOSED = 'closed';

/** Statuses of claimed tickets that a poll asks for. */
export const UNFINISHED = 'open,in_progress,blocked,deferred';

export function isBeadsStatus(word: string): word is BeadsStatus {
  return (STATUSES as readonly string[]).includes(word);
}

/** Why an issue is moved. A ticket is moved on by its workflow; a mailbox is, too, or opened again for another attempt; both are set back when the journal was lost. */
export type Move = 'ticket' | 'mailbox' | 'restart' | 'recovery';

/**
 * From where a status may be reached. There is no compare-and-set, so it is read first, and what a person meanwhile made of the issue is not undone: a status that is
 * not in the list is for a person to change.
 */
export function allowedBefore(move: Move, target: string): readonly BeadsStatus[] {
  switch (move) {
    case 'ticket':
      return target === CLOSED ? ['open', 'in_progress'] : ['open'];
    case 'mailbox':
      if (target === 'in_progress') return ['open', 'closed'];
      return target === CLOSED ? ['in_progress'] : ['open'];
    case 'restart':
      return ['open', 'in_progress', 'closed'];
    case 'recovery':
      // What was set aside is taken up again; what an agent outside holds is not.
      return ['open', 'in_progress', 'blocked', 'deferred', 'closed'];
  }
}

/** How an issue gets from a status to another. `stay`: it is there. `conflict`: a person must move it to one of `allowed`. */
export type Way = 'stay' | 'close' | 'reopen' | 'update' | { readonly conflict: readonly BeadsStatus[] };

export function wayTo(move: Move, current: string, target: string): Way {
  if (current === target) return 'stay';
  const allowed = allowedBefore(move, target);
  if (!(allowed as readonly string[]).includes(current)) return { conflict: allowed };
  if (target === CLOSED) return 'close';
  // A recovery clears a deferral in the same command, which `reopen` cannot.
  return target === 'open' && current === CLOSED && move === 'restart' ? 'reopen' : 'update';
}
