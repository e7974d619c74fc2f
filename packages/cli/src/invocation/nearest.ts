/** The candidate that was probably meant, or `undefined` when none is close: at most a third of the word may differ. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  if (best === undefined) return undefined;
  const tolerated = Math.max(1, Math.floor(Math.max(wanted.length, best.candidate.length) / 3));
  return best.distance <= tolerated ? best.candidate : candidates.find((candidate) => wanted.length > 1 && candidate.startsWith(wanted));
}

/** Insertions, deletions, substitutions and swaps of neighbours, one each. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, substituted);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(beforePrevious, j - 2) + 1);
      current.push(cost);
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
