/**
 * The last message of the main agent, whole. A message comes in parts, and the `result` holds the last part alone; one that was cut at the limit of what the
 * model may write at once goes on in the next message.
 */
export class LastMessage {
  #id: string | undefined;
  #text = '';
  #last = '';
  #isCut = false;

  /** Takes the next part and gives the message so far. */
  add(id: string | undefined, part: string): string {
    if (this.#isCut) this.#text += part;
    else if (id !== undefined && id === this.#id) this.#text += `\n${part}`;
    else this.#text = part;
    this.#isCut = false;
    this.#id = id;
    this.#last = part;
    return this.#text;
  }

  /** The model was stopped in the middle of it. */
  cut(): void {
    this.#isCut = true;
  }

  /** The message that ends with a part, which is what a result holds; the text itself when it is another one. */
  whole(text: string): string {
    return text === this.#last ? this.#text : text;
  }
}
