import { isRelayError } from '../../errors/relay-error.js';
import { fittingDocument, LIMITS, markerIn } from './adf/fit.js';
import type { AdfDocument } from './adf/node.js';
import { adfText } from './adf/text.js';
import type { JiraClient } from './client/client.js';
import { issuePath } from './issues.js';
import { readComments } from './shapes.js';

const PAGE = 100;

/** The markers with which comments end. One in the middle is somebody's quotation. Reads all pages, from the first. */
export async function markersOf(client: JiraClient, key: string): Promise<readonly string[]> {
  const markers: string[] = [];
  for (let startAt = 0; ; ) {
    const { comments, total } = await client.send({ method: 'GET', path: issuePath(key, 'comment'), query: { startAt, maxResults: PAGE, orderBy: 'created' }, about: `the comments of ${key}`, read: readComments });
    markers.push(...comments.flatMap(({ body }) => markerIn(adfText(body).split('\n').at(-1) ?? '') ?? []));
    startAt += comments.length;
    if (comments.length === 0 || startAt >= total) return markers;
  }
}

/** Never sent again by the client: a comment whose answer was lost is found by its marker. */
export async function postComment(client: JiraClient, key: string, { marker, body }: { readonly marker: string; readonly body: string }): Promise<void> {
  await shorterUntilTaken(async (limit) => {
    await client.send({ method: 'POST', path: issuePath(key, 'comment'), about: `a comment on ${key}`, body: { body: fittingDocument(body, { limit, marker }) satisfies AdfDocument } });
  });
}

/** Writes a text that may be too long: Jira's own count decides. Safe to try again, since what was refused had no effect. */
export async function shorterUntilTaken<T>(write: (limit: number) => Promise<T>): Promise<T> {
  for (let index = 0; ; index += 1) {
    try {
      return await write(LIMITS[index] ?? 0);
    } catch (error) {
      const tooLong = isRelayError(error) && error.code === 'task_rejected' && /CONTENT_LIMIT_EXCEEDED|too long|exceeds the allowed limit/i.test(error.text);
      if (!tooLong || index + 1 >= LIMITS.length) throw error;
    }
  }
}
