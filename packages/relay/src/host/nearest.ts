/** The word that was probably meant, or `undefined` when none is close: a third of the letters may differ, or it is the beginning of one. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const [best] = known.map((candidate) => ({ candidate, distance: edits(typed, candidate.toLowerCase()) })).sort((a, b) => a.distance - b.distance);
  if (best === undefined) return undefined;
  if (best.distance <= Math.max(1, Math.floor(Math.max(typed.length, best.candidate.length) / 3))) return best.candidate;
  return typed.length < 2 ? undefined : known.find((candidate) => candidate.toLowerCase().startsWith(typed));
}

/** How many letters must be inserted, deleted, replaced or swapped with their neighbour. */
function edits(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1), swapped));
    }
  }
  return cell(a.length, b.length);
}
