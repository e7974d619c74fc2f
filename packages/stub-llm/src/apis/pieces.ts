const SHORTEST = 40;
const MOST = 2_000;

/** A text as a model streams it: in small pieces, but not so many that a text of megabytes takes minutes to read. */
export function pieces(text: string): readonly string[] {
  const length = Math.max(SHORTEST, Math.ceil(text.length / MOST));
  const found: string[] = [];
  for (let from = 0; from < text.length; ) {
    // A piece never ends between the halves of a surrogate pair: a CLI may decode each by itself.
    const high = (text.charCodeAt(from + length - 1) & 0xfc00) === 0xd800;
    const to = from + length + (high ? 1 : 0);
    found.push(text.slice(from, to));
    from = to;
  }
  return found;
}
