import { draftSchema, type Draft } from './schema.js';

export interface DraftProblem {
  /** Where in the draft: `sources[0].labels`. Empty for the draft as a whole. */
  readonly path: string;
  readonly text: string;
}

/** Thrown for a draft that is not one; names every problem. */
export class DraftError extends TypeError {
  override readonly name = 'DraftError';
  readonly problems: readonly DraftProblem[];

  constructor(problems: readonly DraftProblem[]) {
    super(['The draft cannot be used:', ...problems.map(({ path, text }) => `  ${path === '' ? 'draft' : path}: ${text}`)].join('\n'));
    this.problems = problems;
  }
}

/** A draft, checked and with its defaults. Throws a {@link DraftError}. */
export function parseDraft(value: unknown): Draft {
  const parsed = draftSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new DraftError(parsed.error.issues.map(({ path, message }) => ({ path: pathOf(path), text: message })));
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((whole, key) => (typeof key === 'number' ? `${whole}[${key}]` : whole === '' ? String(key) : `${whole}.${String(key)}`), '');
}
