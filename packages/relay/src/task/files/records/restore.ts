import { isTaken } from '../../claim-labels.js';
import type { OurComment } from '../text/comments.js';
import type { WrittenStatus } from './written.js';

/** What a file of ours says at the moment. */
export interface Found {
  readonly status: string;
  readonly labels: readonly string[];
  readonly markers: readonly string[];
}

/** What a save took away, which must be written again. */
export interface Lost {
  readonly labels: readonly string[];
  readonly status?: string;
  readonly comments: readonly OurComment[];
}

export interface Comparison {
  readonly lost: Lost;
  /** What to remember of the status from now on. */
  readonly status?: WrittenStatus;
}

/**
 * Compares what we wrote with what is there. Labels of a claim and comments that are gone are always written again,
 * but for a claim that somebody else has made meanwhile: two of them would stop the ticket. A status that is what it was before ours has been
 * overwritten by an older text, or set back by a person: it is written again together with what else is gone, or once; the second time it is meant. A status that we
 * never saw is a person's word and stays.
 */
export function compare(written: { readonly labels: readonly string[]; readonly status?: WrittenStatus | undefined; readonly comments: readonly OurComment[] }, found: Found): Comparison {
  const labels = isTaken(found.labels, written.labels) ? [] : written.labels.filter((label) => !found.labels.includes(label));
  const comments = written.comments.filter(({ marker }) => !found.markers.includes(marker));
  const { status } = written;
  if (status === undefined) return { lost: { labels, comments } };
  if (status.value === found.status) return { lost: { labels, comments }, status };
  const older = status.before.includes(found.status) && (!status.again || labels.length > 0 || comments.length > 0);
  return older ? { lost: { labels, comments, status: status.value }, status: { ...status, again: true } } : { lost: { labels, comments } };
}

export function nothingLost({ labels, status, comments }: Lost): boolean {
  return labels.length === 0 && status === undefined && comments.length === 0;
}
