import type { CommandInvocation } from './invocation/declaration.js';
import type { Io } from './io.js';
import type { LineStyle } from './report/report-lines.js';

/** What a command is given. */
export interface CommandContext {
  readonly invocation: CommandInvocation;
  readonly io: Io;
  /** How lines on stderr look. */
  readonly style: LineStyle;
  readonly version: string;
}

/** Does what a command says and answers with the exit status. Throws a `FlowsError` to refuse. */
export type Command = (context: CommandContext) => Promise<number>;
