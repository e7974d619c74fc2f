import { randomBytes } from 'node:crypto';

/** Hexadecimal digits that were never used before: a CLI may throw away what it has seen by its id. */
export function randomId(bytes = 6): string {
  return randomBytes(bytes).toString('hex');
}
