import type { JsonValue } from './json.js';

/**
 * Removes secrets from what is about to be kept. Applied on the way into the journal, logs, transcripts and events, before any truncation.
 * Applying it twice changes nothing more.
 */
export interface Redactor {
  /** A whole text. */
  text(value: string): string;
  /** Every string in a JSON value, object members judged by their key; keys and structure stay. Returns the same reference when nothing changed. */
  json<T extends JsonValue>(value: T): T;
  /** For output that arrives in pieces: a secret split over two pieces is still found. */
  stream(): RedactionStream;
}

export interface RedactionStream {
  /** Takes a piece of text and returns what can safely be kept by now. */
  push(text: string): string;
  /** The rest. Nothing may be pushed afterwards. */
  end(): string;
}
