/** What a command accepts, as data: the parser, the help and the documentation are all made from it. */
export interface CommandDeclaration {
  readonly name: CommandName;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly positionals: readonly PositionalDeclaration[];
  readonly options: readonly OptionDeclaration[];
  readonly examples: readonly Example[];
  /** Sentences that close the command's help. */
  readonly notes?: readonly string[];
}

export type CommandName = 'check' | 'run' | 'resume' | 'answer' | 'cancel' | 'status' | 'runs' | 'logs' | 'replay' | 'new' | 'agents' | 'demo' | 'generate';

export interface PositionalDeclaration {
  readonly name: string;
  readonly optional?: true;
  readonly summary: string;
  /** The values accepted; any when absent. */
  readonly values?: readonly string[];
}

export interface OptionDeclaration {
  /** Without the leading dashes. */
  readonly name: string;
  /** The placeholder of its value; a switch when absent. */
  readonly value?: string;
  readonly summary: string;
  /** The values accepted; any when absent. */
  readonly values?: readonly string[];
  /** The value must be a whole number within these bounds, inclusive. */
  readonly integer?: { readonly min: number; readonly max: number };
  /** Known from other runtimes and not available here: using it is refused with this sentence. Left out of the help. */
  readonly refused?: string;
  /** Accepted without meaning anything. Left out of the help. */
  readonly ignored?: true;
}

export interface Example {
  /** As typed after `flows`. */
  readonly args: string;
  readonly explains: string;
}

/** A command line that was understood. */
export interface CommandInvocation {
  readonly kind: 'command';
  readonly command: CommandName;
  /** Positionals and options with a value, by name. */
  readonly values: Readonly<Record<string, string>>;
  readonly switches: ReadonlySet<string>;
}
