import assert from 'node:assert/strict';
import { isRelayError, type RelayError } from '../../errors/relay-error.js';
import type { RelayErrorCode } from '../../errors/codes.js';
import type { Runner, RunnerRepo, TerminalCommand, WorkspaceRef } from '../port.js';

/** What not every runner has, or not every set-up can bring about. */
export type RunnerNeed = 'terminals' | 'lost answers' | 'an unreachable runner';

/** What an implementation contributes to the suite: a repository, and a runner that does not know it yet. */
export interface RunnerSetUp {
  readonly runner: Runner;
  /** Called several times, it makes a runner that keeps nothing in common with the others but what is stored: as another process, or after a restart. */
  readonly another: () => Runner;
  /** A git repository with one commit, without remotes; its branch `main` is what tickets begin at. */
  readonly repo: RunnerRepo;
  /** A path at which no repository can be. */
  readonly unusable: RunnerRepo;
  /** Runs git in a folder as a person would; resolves to what it printed, without the last end of line. */
  readonly git: (at: string, ...args: readonly string[]) => Promise<string>;
  /** How many workspaces were made so far, whoever asked, whatever became of them. */
  readonly workspacesMade: () => Promise<number>;
  /** The next call that makes or removes something has its effect, but its answer is lost. Need: `lost answers`. */
  readonly loseAnswer?: () => Promise<void>;
  /** The runner does not answer from now on. Need: `an unreachable runner`. */
  readonly unplug?: () => Promise<void>;
  /** Need: `terminals`. */
  readonly terminals?: TerminalSetUp;
  /** Removes everything, and ends what was started. */
  readonly tearDown: () => Promise<void>;
}

export interface TerminalSetUp {
  /**
   * A command for a terminal that appends every line it reads to a file, until it reads `exit`. At its beginning it writes there a line of JSON: `{"args":[…],"env":{…}}`,
   * its arguments and the variables whose names begin with `RELAY_FLOW_`.
   */
  readonly listener: (file: string) => TerminalCommand;
  /** A new file that nothing is in, for a listener. */
  readonly newFile: () => string;
  /** How many terminals were made so far. */
  readonly terminalsMade: () => Promise<number>;
  /** A person opens a terminal of this title in the workspace, or a crash has left a second one. */
  readonly open: (at: WorkspaceRef & { readonly title: string }) => Promise<string>;
  /** Handles of all terminals that are open in the workspace, dead ones included. */
  readonly openIn: (at: WorkspaceRef) => Promise<readonly string[]>;
  /** The application starts anew: terminals go on, handles do not. */
  readonly restart: () => Promise<void>;
  /** The program in the terminal gives it a title of its own, where programs can. */
  readonly overwriteTitle: (handle: string, title: string) => Promise<void>;
  /** The next text that is typed stays where it is typed in. */
  readonly swallowEnter: () => Promise<void>;
  /** From now on the program of the terminal asks something itself, and takes no prompt. */
  readonly ask: (handle: string) => Promise<void>;
}

export interface Stage extends RunnerSetUp {
  /** The runner, which knows the repository now. */
  readonly known: () => Promise<Runner>;
  readonly at: (ticket: string) => WorkspaceRef;
}

export interface Scenario {
  readonly name: string;
  readonly needs?: readonly RunnerNeed[];
  readonly play: (stage: Stage) => Promise<void>;
}

/** The call is refused with this code. */
export async function refuses(code: RelayErrorCode, call: Promise<unknown>): Promise<RelayError> {
  const error = await call.then(
    () => assert.fail(`expected ${code}, but the call succeeded`),
    (reason: unknown) => reason,
  );
  assert.ok(isRelayError(error), `expected ${code}, got ${String(error)}`);
  assert.equal(error.code, code, error.text);
  assert.match(error.text, /^[^]+\.$/, 'an error is a sentence');
  return error;
}

/** What a program does on a busy machine takes long, in milliseconds. */
const MOST_MS = 60_000;

/** Resolves when something is so; fails when it takes too long. */
export async function eventually(what: string, is: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + MOST_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 25))) if (await is()) return;
  assert.fail(`It did not come about: ${what}.`);
}
