/** How many of the newest comments are looked at before one is posted. */
export const NEWEST = 20;

/** Whether a comment says what is to be posted. Forges trim texts, and some change their line ends. */
export function sameText(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}
