import type { RelayClient } from '../client/client.js';
import type { Home } from '../host/home.js';
import type { CommandInvocation } from './invocation/declaration.js';
import type { Io } from './io.js';
import type { Paint } from './text/paint.js';

/** What a command is given. */
export interface CommandContext {
  readonly invocation: CommandInvocation;
  readonly io: Io;
  readonly version: string;
  /** For standard output. */
  readonly paint: Paint;
  /** Columns to fill. */
  readonly room: number;
  readonly asJson: boolean;
  /** Looked up when asked for. Throws `home_unusable`. */
  readonly home: () => Home;
  readonly client: () => RelayClient;
}

/** What came of a command: for a program or for a person. */
export interface Shown {
  readonly data: unknown;
  /** On standard output. */
  readonly lines: readonly string[];
  /** On error output, after the lines; not with `--json`. */
  readonly notes?: readonly string[];
  /** 1 when what was looked at is not as it should be. Default 0. */
  readonly exit?: 0 | 1;
}

/** Does what a command says. Throws a `RelayError` to refuse, and a {@link UsageError} when the command line must be another. Answers with an exit status when it has printed everything itself. */
export type Command = (context: CommandContext) => Promise<Shown | number>;

/** The command line cannot be done as it stands, which only the command itself could see. */
export class UsageError extends Error {
  readonly hint: string;

  constructor(text: string, hint: string) {
    super(text);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

/** Somebody left the questions; nothing was done, and everything was said. */
export class Left extends Error {
  override readonly name = 'Left';
}
