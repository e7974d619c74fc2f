import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A change request as the folder that stands in for a forge keeps it. */
export interface OpenedChange {
  readonly number: number;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  readonly branch: string;
  readonly base: string;
  readonly draft: boolean;
  readonly reviewers: readonly string[];
  /** Markdown each, the oldest first. */
  readonly comments: readonly string[];
}

/** The one change of a demo, from the folder of `RELAYFLOW_FORGE_DIR`; `undefined` when none was opened. */
export function readChange(forge: string): OpenedChange | undefined {
  const open = join(forge, 'open');
  const [name] = existsSync(open) ? readdirSync(open) : [];
  if (name === undefined) return undefined;
  const text = (...path: readonly string[]): string => readFileSync(join(open, name, ...path), 'utf8');
  const { number, title, branch, base, draft, reviewers } = JSON.parse(text('change.json')) as Omit<OpenedChange, 'body' | 'comments'>;
  const comments = readdirSync(join(open, name, 'comments')).filter((file) => file.endsWith('.md')).sort();
  return { number, title, branch, base, draft, reviewers, body: text('description.md'), comments: comments.map((file) => text('comments', file)) };
}
