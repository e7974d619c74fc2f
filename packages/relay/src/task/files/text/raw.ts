/**
 * The bytes of a file as text with one character per byte. What people wrote, and however it is encoded, is cut and put together again without a change;
 * only the front matter, and what we write ourselves, is ever decoded.
 */
export type Raw = string;

export function fromBytes(bytes: Buffer): Raw {
  return bytes.toString('latin1');
}

export function toBytes(raw: Raw): Buffer {
  return Buffer.from(raw, 'latin1');
}

export function encode(text: string): Raw {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** `undefined` when it is not UTF-8. */
export function decode(raw: Raw): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(raw, 'latin1'));
  } catch {
    return undefined;
  }
}
