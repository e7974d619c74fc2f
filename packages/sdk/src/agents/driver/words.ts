/** How a CLI is spoken of in messages and what a person types to help it. */
export interface CliWords {
  /** `claude`. */
  readonly cli: string;
  /** The command that installs it: `npm install -g @anthropic-ai/claude-code`. */
  readonly install: string;
  /** The command that brings it up to date. */
  readonly update: string;
  /** What signs it in, as the rest of "To sign in, …": `run claude and type /login, or set ANTHROPIC_API_KEY`. */
  readonly signIn: string;
  /** Where its models are listed, as the rest of "To see the models, …". */
  readonly models: string;
}
