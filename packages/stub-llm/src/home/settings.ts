/** What a CLI is told through files in its home. */
export interface HomeRequest {
  /** Of the stub server. */
  readonly url: string;
  /** Whether the CLI finds credentials. */
  readonly signedIn: boolean;
  /** How: with a key of the provider, or with the account of a person. */
  readonly account: 'key' | 'person';
}

/** Contents by path below the home; an object is written as JSON. */
export type HomeFiles = Readonly<Record<string, string | object>>;

/** What CLIs that know nothing of the stub's model are told of it: its size and its price in dollars per million tokens. */
export const stubModel = {
  id: 'stub-model',
  contextTokens: 200_000,
  outputTokens: 8_000,
  price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
} as const;
