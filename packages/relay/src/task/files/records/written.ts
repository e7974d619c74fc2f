import { z } from 'zod';

const status = z.strictObject({
  /** What we set. */
  value: z.string(),
  /** What stood there when we set this or an earlier one. */
  before: z.array(z.string()),
  /** We wrote it once more after somebody's save had taken it back. */
  again: z.boolean(),
});
const comment = z.strictObject({ marker: z.string(), at: z.string(), body: z.string() });
const mailbox = z.strictObject({ title: z.string(), description: z.string(), assignee: z.string().optional(), status: status.optional(), comments: z.array(comment) });

export const writtenSchema = z.strictObject({ labels: z.array(z.string()), status: status.optional(), comments: z.array(comment), mailboxes: z.record(z.string(), mailbox) });

/** What we wrote into a ticket and its mailboxes, to be written again after somebody saved an older text over it. */
export type Written = z.infer<typeof writtenSchema>;
export type WrittenStatus = z.infer<typeof status>;
export type WrittenMailbox = z.infer<typeof mailbox>;

export const NOTHING: Written = { labels: [], comments: [], mailboxes: {} };

/** A person's earlier words are kept as far back as anybody's editor may have been open. */
const REMEMBERED = 10;

export function statusSet(previous: WrittenStatus | undefined, from: string, value: string): WrittenStatus {
  const before = [...(previous?.before ?? []), ...(previous === undefined ? [] : [previous.value]), from].filter((word) => word !== value);
  return { value, before: [...new Set(before.toReversed())].slice(0, REMEMBERED), again: false };
}
