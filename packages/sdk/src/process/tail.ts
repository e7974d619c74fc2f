/** Small pieces are joined to blocks of this many characters, so that output that comes byte by byte costs no object per byte. */
const BLOCK_CHARACTERS = 16 * 1024;
const BLOCK_PIECES = 512;

/** The end of a text of any length, in bounded memory: at most `limit` bytes and one block. */
export class Tail {
  readonly #limit: number;
  #blocks: Buffer[] = [];
  #first = 0;
  #blockBytes = 0;
  #pieces: string[] = [];
  #characters = 0;
  #droppedBytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(text: string): void {
    this.#pieces.push(text);
    this.#characters += text.length;
    if (this.#characters >= BLOCK_CHARACTERS || this.#pieces.length >= BLOCK_PIECES) this.#close();
  }

  /** The last `limit` bytes, cut between two characters, and how many bytes went before them. */
  end(): { readonly text: string; readonly dropped: number } {
    if (this.#blocks.length === 0) {
      const text = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('');
      // A character has at most three bytes per UTF-16 unit.
      if (text.length * 3 <= this.#limit) return { text, dropped: 0 };
    }
    this.#close();
    const all = Buffer.concat(this.#blocks.slice(this.#first));
    let start = Math.max(0, all.length - this.#limit);
    while (((all[start] ?? 0) & 0xc0) === 0x80) start += 1;
    return { text: all.toString('utf8', start), dropped: this.#droppedBytes + start };
  }

  #close(): void {
    if (this.#characters === 0) return;
    const block = Buffer.from(this.#pieces.join(''));
    this.#pieces = [];
    this.#characters = 0;
    this.#blocks.push(block);
    this.#blockBytes += block.length;
    this.#drop();
  }

  #drop(): void {
    for (;;) {
      const oldest = this.#blocks[this.#first];
      if (oldest === undefined || this.#blockBytes - oldest.length < this.#limit) break;
      this.#blocks[this.#first] = EMPTY;
      this.#first += 1;
      this.#blockBytes -= oldest.length;
      this.#droppedBytes += oldest.length;
    }
    if (this.#first < 1024) return;
    this.#blocks = this.#blocks.slice(this.#first);
    this.#first = 0;
  }
}

const EMPTY = Buffer.alloc(0);
