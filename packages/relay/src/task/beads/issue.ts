import { z } from 'zod';

/** Keys that have nothing to say are left out by `bd`; nulls are borne all the same. */
const text = z.string().nullish().transform((value) => value ?? '');
const list = <Item extends z.ZodType>(item: Item) => z.array(item).nullish().transform((value) => value ?? []);

/** `show` tells what an issue depends on as issues with a `dependency_type`; elsewhere, and in other versions, it is told as edges. */
const dependency = z.union([
  z.object({ id: z.string(), status: text, dependency_type: z.string() }).transform(({ id, status, dependency_type: type }) => ({ id, status, type })),
  z.object({ depends_on_id: z.string(), type: z.string() }).transform(({ depends_on_id: id, type }) => ({ id, status: '', type })),
]);

export const issueShape = z.object({
  id: z.string().min(1),
  title: z.string(),
  status: z.string().min(1),
  description: text,
  issue_type: text,
  assignee: text,
  parent: text,
  defer_until: text,
  labels: list(z.string()),
  dependencies: list(dependency.catch({ id: '', status: '', type: '' })),
}).transform((issue) => ({ ...issue, parent: issue.parent === '' ? (issue.dependencies.find(({ type }) => type === 'parent-child')?.id ?? '') : issue.parent }));

/** What is needed of an issue; empty where it says nothing. The parent is told by a key of its own, or only among what the issue depends on. */
export type Issue = z.infer<typeof issueShape>;

export const createdShape = z.object({ id: z.string().min(1) });

export const commentShape = z.object({ issue_id: text, text });

/** Ids are opaque, but one that begins with a dash would be read as a flag, and no id holds blanks. */
export function canBeId(word: string): boolean {
  return /^[^\s\p{Cc}-][^\s\p{Cc}]*$/u.test(word);
}
