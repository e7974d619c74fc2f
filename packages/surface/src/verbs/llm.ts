/** Options of `f.llm(prompt, options)`: a reply that is JSON of a given shape. Other members are refused. */
export interface LlmOptions {
  /** A JSON Schema. A reply that is not JSON, or does not fit, rejects with `verification_failed`. */
  output: Record<string, unknown>;
  /** The CLI that asks the model. Default: the flow's, then `cli` of `flows.json`. */
  cli?: string;
  /** Default: the CLI's own. */
  model?: string;
}
