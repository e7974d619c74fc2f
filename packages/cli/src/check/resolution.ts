/** A CLI and a model that an agent or a model call resolved to. */
export interface Resolution {
  readonly name: string;
  readonly cli: string;
  readonly model?: string;
  readonly path?: string;
  readonly version?: string;
}
