/**
 * What the server answers. A turn with `match` (and the first turn) begins a block; the turns after it without `match` are its next steps. A new prompt
 * gets the first block that fits; each tool result that comes back gets the next turn of that block.
 */
export interface Scenario {
  readonly note?: string;
  readonly turns?: readonly Turn[];
  /** The answer when no turn is left or fits. Default `Done.` */
  readonly end?: string;
  /**
   * The answer to requests without tools that no turn claims, such as those for a title. Default `ok`, or the smallest value of the JSON schema that is
   * asked for.
   */
  readonly side?: string;
}

/** One answer. `error` and `raw` stand alone; everything else can be put together. */
export interface Turn {
  readonly note?: string;
  readonly match?: Match;
  /**
   * How often this turn may be served, over all conversations. Default: no limit. A spent first turn closes its block; a spent `error`, `raw` or `drop`
   * in the middle of a block is stepped over.
   */
  readonly times?: number;
  readonly text?: string | RepeatedText;
  readonly tools?: ToolUse | readonly ToolUse[];
  readonly usage?: Partial<Usage>;
  /** Milliseconds to wait before the first byte. */
  readonly delay_ms?: number;
  /**
   * `before`: closes the connection without an answer. `mid`: closes it in the middle of the stream. `silent`: falls silent in the middle of the stream
   * and leaves the connection open. Without a stream all of them come before the answer.
   */
  readonly drop?: 'before' | 'mid' | 'silent';
  /** The answer is cut in the middle of its JSON and ends as if it were whole. */
  readonly malformed?: boolean;
  /** A refusal, in the shape that each API gives its own. */
  readonly error?: Refusal;
  /** Sent as it is, whatever was asked: what a proxy in between might say. */
  readonly raw?: RawAnswer;
}

/** All given parts must fit. A list asks for all of its texts. */
export interface Match {
  /** In the last prompt. */
  readonly user?: string | readonly string[];
  readonly system?: string | readonly string[];
  /** Anywhere in the conversation. */
  readonly history?: string | readonly string[];
  readonly model?: string | readonly string[];
  readonly api?: ApiName;
  /** `true`: only requests without tools, which no other turn is given. Default `false`. */
  readonly side?: boolean;
}

export const API_NAMES = ['anthropic', 'responses', 'chat', 'gemini'] as const;

/** Anthropic Messages, OpenAI Responses, OpenAI Chat Completions, Gemini. */
export type ApiName = (typeof API_NAMES)[number];

/** A long text that a scenario file need not spell out. */
export interface RepeatedText {
  readonly repeat: string;
  readonly times: number;
}

export type ToolUse =
  /** A command, through whatever shell tool the CLI offers. */
  | { readonly shell: string }
  /** A file, through the CLI's own tool for writing where it has one. */
  | { readonly write: FileWrite }
  /** Any tool by its own name. Default input: an empty object. */
  | { readonly tool: string; readonly input?: unknown };

export interface FileWrite {
  readonly path: string;
  readonly content: string;
  /** `shell`: write through the shell even where there is a tool for writing. Claude's refuses to overwrite what it has not read. */
  readonly via?: 'shell';
}

/** Tokens. `input` are those that came from no cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly reasoning: number;
}

export interface Refusal {
  /** An HTTP status from 400 to 599. */
  readonly status: number;
  readonly message?: string;
  /** Default: what the API calls this status. */
  readonly type?: string;
  readonly code?: string;
  /** Seconds, as the header `retry-after` and where the API has a place for it in its body. */
  readonly retry_after?: number;
  /** Seconds until a usage limit ends, in the form in which this provider tells it. */
  readonly reset_in?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawAnswer {
  readonly body: string;
  /** Default 200. */
  readonly status?: number;
  /** Default: what the API would send. */
  readonly type?: string;
}
