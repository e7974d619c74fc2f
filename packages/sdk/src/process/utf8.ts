const NOTHING = new Uint8Array(0);

/** Bytes to text, piece by piece: a character split over two pieces stays whole, what is not UTF-8 becomes U+FFFD. */
export class Utf8Decoder {
  #carried: Uint8Array = NOTHING;

  push(bytes: Uint8Array): string {
    let piece = bytes;
    if (this.#carried.length > 0) {
      piece = Buffer.concat([this.#carried, bytes]);
      this.#carried = NOTHING;
    }
    const cut = lengthOfWhole(piece);
    // Copied, because the caller reads the next piece into the same memory.
    if (cut < piece.length) this.#carried = Uint8Array.prototype.slice.call(piece, cut);
    return textOf(piece, cut);
  }

  /** What an unfinished character at the very end becomes. */
  end(): string {
    const rest = this.#carried;
    this.#carried = NOTHING;
    return textOf(rest, rest.length);
  }
}

/** How many bytes come before a character that may be unfinished. Cutting in front of a byte that begins a character is always right. */
function lengthOfWhole(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function textOf(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('utf8');
}
