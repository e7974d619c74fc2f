/** An answer of Jira is never larger. */
export const LARGEST_BODY = 16 * 1024 * 1024;

/** The body as text; `undefined` when it is larger than an answer can be. */
export async function readBody(response: Response, largest = LARGEST_BODY): Promise<string | undefined> {
  if (response.body === null) return '';
  const pieces: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop ends the connection.
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > largest) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
