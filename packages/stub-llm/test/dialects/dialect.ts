/** What tests ask of every API in the same way. */
export interface Dialect {
  readonly path: string;
  readonly streamPath?: string;
  body(conversation: Said, stream: boolean): object;
  /** What a client puts together from a whole answer. */
  whole(body: unknown): Heard;
  /** What a client puts together from a stream. */
  streamed(events: readonly Event[]): Heard;
}

export interface Said {
  readonly prompt: string;
  readonly system?: string;
  readonly model?: string;
  /** Names of tools to offer. Default: none. */
  readonly tools?: readonly string[];
  /** Earlier steps: a call and its result, or what the assistant said and the prompt after it. */
  readonly steps?: readonly ({ readonly call: Call; readonly result: string } | { readonly reply: string; readonly prompt: string })[];
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface Heard {
  readonly text: string;
  readonly calls: readonly Call[];
  /** Why it ended, as the API calls it. */
  readonly end: unknown;
  readonly usage: unknown;
}

export interface Event {
  readonly event?: string;
  readonly data: unknown;
}

/** What every tool takes. */
export const parameters = { type: 'object', properties: { command: { type: 'string' } } };
