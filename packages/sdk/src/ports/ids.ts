import { randomBytes, randomUUID } from 'node:crypto';

/** Where identifiers come from. The default is random; a test gives a sequence. */
export interface Ids {
  /** A new run id: lower-case letters and digits, sorting by the time it was made. */
  runId(now: number): string;
  /** A random UUID, version 4. */
  uuid(): string;
}

/** Crockford's base 32 without the letters that are mistaken for digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

function base32(value: bigint, length: number): string {
  let text = '';
  for (let left = value, i = 0; i < length; i += 1, left >>= 5n) text = ALPHABET[Number(left & 31n)] + text;
  return text;
}

export const randomIds: Ids = {
  /** 9 characters of milliseconds and 6 of chance (30 bits): two runs of one millisecond collide once in 10^9. */
  runId: (now) => base32(BigInt(Math.floor(now)), 9) + base32(BigInt(randomBytes(4).readUInt32BE()), 6),
  uuid: () => randomUUID(),
};
