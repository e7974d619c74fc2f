/** Makes whole lines of text that arrives in pieces that end anywhere. */
export class LineAssembler {
  #rest = '';

  /** The lines that a piece completes, without their ends. */
  push(text: string): string[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }

  /** The last line, when it has no end. */
  end(): string[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}
