/** A marker that can stand in a comment: one word of visible ASCII without angle brackets. */
export function isMarker(marker: string): boolean {
  return /^[\x21-\x7e]+$/.test(marker) && !/[<>]/.test(marker);
}

export function withMarker(body: string, marker: string): string {
  return `${body}\n\n<!-- ${marker} -->`;
}

/** The marker with which a comment ends. Others in its text are quotations. */
export function markerOf(comment: string): string | undefined {
  return /(?:^|\n)<!-- (\S+) -->\s*$/.exec(comment)?.[1];
}
