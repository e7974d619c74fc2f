/** An answer of Jira is never larger. */
export const LARGEST_BODY = 16 * 1024 * 1024;

/** The body as text; `undefined` when it is larger than an answer can be. */
export async function readBody(response: Response, largest = LARGEST_BODY): Promise<string | undefined> {
  if (response.body === null) return '';
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(pieces).toString('utf8');
    size += value.byteLength;
    if (size > largest) {
      await reader.cancel().catch(() => undefined);
      return undefined;
    }
    pieces.push(value);
  }
}
