/** More lines than this begin with a bracket only where the answer itself is broken. */
const BEGINNINGS = 20;

/**
 * What `bd --json` printed: the value after any informational lines. `undefined` when there is none. Lines such as `[sync] pulled` begin with a bracket and are
 * none, so each beginning is tried.
 */
export function readAnswer(stdout: string): unknown {
  let tried = 0;
  for (const { index } of stdout.matchAll(/^[ \t]*(?:[[{]|null\s*$)/gm)) {
    try {
      return JSON.parse(stdout.slice(index)) as unknown;
    } catch {
      tried += 1;
      if (tried === BEGINNINGS) return undefined;
    }
  }
  return undefined;
}

/** The rows of an answer: versions of `bd` give a list, an object with `items`, one object, or null for nothing. `undefined` when it is none of these. */
export function rowsOf(answer: unknown): readonly unknown[] | undefined {
  if (answer === null) return [];
  if (Array.isArray(answer)) return answer as readonly unknown[];
  if (typeof answer !== 'object') return undefined;
  if (!('items' in answer)) return [answer];
  return answer.items === null ? [] : Array.isArray(answer.items) ? (answer.items as readonly unknown[]) : undefined;
}

/** What an answer says about a failure, on either stream: `{error, code}`. */
export function failureIn(answer: unknown): { readonly text: string; readonly code: string } | undefined {
  if (typeof answer !== 'object' || answer === null || !('error' in answer) || 'id' in answer) return undefined;
  return { text: typeof answer.error === 'string' ? answer.error : '', code: 'code' in answer && typeof answer.code === 'string' ? answer.code : '' };
}
