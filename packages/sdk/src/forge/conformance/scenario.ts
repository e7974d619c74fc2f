import assert from 'node:assert/strict';
import type { ErrorCode } from '../../errors/codes.js';
import { isFlowsError, type FlowsError } from '../../errors/flows-error.js';
import type { Forge } from '../port.js';

/** What not every set-up can bring about. */
export type ForgeNeed = 'lost answers' | 'drafts' | 'known reviewers';

/** What an implementation contributes to the suite: a repository of its own on a forge, with nothing opened. */
export interface ForgeSetUp {
  readonly forge: Forge;
  /** Called several times, it makes a forge that keeps nothing in common with the others but the repository. */
  readonly another: () => Forge;
  /** The default branch of the repository, and another branch that changes can be merged into. Both are pushed. */
  readonly bases: readonly [string, string];
  /** Somebody who can review, and somebody else who can. */
  readonly reviewers: readonly [string, string];
  /** Pushes a branch with a commit that no base has. */
  readonly push: (branch: string) => Promise<void>;
  /** What people see on the forge: the open changes of a branch. */
  readonly look: (branch: string) => Promise<readonly SeenChange[]>;
  /** Closes the change of a branch, as a person does. */
  readonly close: (branch: string) => Promise<void>;
  /** The next request that creates something is carried out, and the connection breaks before the answer arrives. */
  readonly loseNextAnswer: () => void;
  /** Removes everything. */
  readonly tearDown: () => Promise<void>;
}

export interface SeenChange {
  readonly number: number;
  readonly title: string;
  readonly draft: boolean;
  readonly base: string;
  readonly description: string;
  readonly comments: readonly string[];
  readonly reviewers: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly needs?: readonly ForgeNeed[];
  readonly play: (stage: Stage) => Promise<void>;
}

export interface Stage extends ForgeSetUp {
  /** The one open change of a branch. */
  readonly only: (branch: string) => Promise<SeenChange>;
}

export const BRANCH = 'relayflow/fix-the-login';
export const OPENING = { branch: BRANCH, title: 'Fix the login', body: 'It is fixed.\n\nFixes #4\n' } as const;

/** The forge refuses with this code; resolves to the error. */
export async function refuses(code: ErrorCode, call: Promise<unknown>): Promise<FlowsError> {
  const error = await call.then(
    (value) => assert.fail(`expected ${code}, but the call succeeded with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(isFlowsError(error), `expected ${code}, got ${String(error)}`);
  assert.equal(error.code, code, error.text);
  assert.ok(error.hint !== undefined && error.hint !== '', `${code} says what to do`);
  return error;
}
