/** The candidate most like a mistyped word, or `undefined` when none is close: at most a third of the word may differ. Upper and lower case are the same here. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  let best: string | undefined;
  let least = Math.floor(word.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = Math.abs(candidate.length - word.length) >= least ? least : edits(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Nobody mistypes a longer one, and looking takes the square of the length. */
const LONGEST = 80;

/** How many insertions, removals and replacements turn one word into the other. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of from.split('').entries()) {
    let left = index + 1;
    let diagonal = index;
    row = row.map((above, column) => {
      if (column === 0) return left;
      left = Math.min(diagonal + (letter === to[column - 1] ? 0 : 1), above + 1, left + 1);
      diagonal = above;
      return left;
    });
  }
  return row.at(-1) ?? 0;
}
