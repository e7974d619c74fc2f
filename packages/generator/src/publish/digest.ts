import { createHash } from 'node:crypto';

/** The sha256 of a text's UTF-8 bytes, or of bytes, in hexadecimal. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
