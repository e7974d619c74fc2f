/** A few names, for a sentence. */
export function some(names: readonly string[]): string {
  const shown = names.toSorted().slice(0, 3).map((name) => JSON.stringify(name)).join(', ');
  return names.length <= 3 ? shown : `${shown} and ${names.length - 3} more`;
}

export function missingIsUndefined(error: unknown): undefined {
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
}
