import type { FlowsError } from '@relayflows/sdk';
import { EXIT } from './exit-status.js';

/** Why a command could not do what it was asked to, as data. */
export interface Problem {
  readonly code: string;
  readonly text: string;
  readonly hint?: string;
  readonly exit: 1 | 2 | 3;
  readonly evidence?: Readonly<Record<string, unknown>>;
  readonly runId?: string;
  readonly completionReason?: string;
  /** Lines to send to the maintainers: the failure is not one that a user can cause. */
  readonly bugReport?: readonly string[];
}

export function problemOfError(error: FlowsError): Problem {
  return {
    code: error.code,
    text: error.text,
    exit: error.exitCode,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(Object.keys(error.evidence).length === 0 ? {} : { evidence: error.evidence }),
    ...(error.runId === undefined ? {} : { runId: error.runId }),
    ...(error.completionReason === undefined ? {} : { completionReason: error.completionReason }),
  };
}

export interface BugSurroundings {
  readonly version: string;
  readonly command: string | undefined;
  readonly cwd: string;
  readonly home: string | undefined;
  readonly node: string;
  readonly platform: string;
}

/** Anything thrown that is no `FlowsError`. The report tells what a maintainer needs and hides where the user works. */
export function problemOfBug(error: unknown, at: BugSurroundings): Problem {
  const hide = (text: string): string => hidden(text, at.cwd, at.home);
  const stack = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : `Thrown: ${describe(error)}`;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : describe(error);
  return {
    code: 'internal_error',
    text: `This is a bug in flows: ${hide(message)}`,
    hint: 'Please report it with the lines below. A run that was being executed keeps its finished steps: `flows resume last` goes on.',
    exit: EXIT.failed,
    bugReport: [
      `flows ${at.version}, node ${at.node}, ${at.platform}`,
      `command: ${at.command ?? 'none'}`,
      ...hide(stack).split('\n'),
      ...causes(error).map((cause) => hide(`caused by ${cause}`)),
    ],
  };
}

function hidden(text: string, cwd: string, home: string | undefined): string {
  const withoutCwd = cwd === '/' ? text : text.replaceAll(cwd, '<cwd>');
  return home === undefined || home === '' || home === '/' ? withoutCwd : withoutCwd.replaceAll(home, '~');
}

function describe(value: unknown): string {
  try {
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? typeof value);
  } catch {
    return typeof value;
  }
}

function causes(error: unknown): string[] {
  const found: string[] = [];
  for (let cause = error instanceof Error ? error.cause : undefined; cause !== undefined && found.length < 5; cause = cause instanceof Error ? cause.cause : undefined) {
    found.push(cause instanceof Error ? (cause.stack ?? cause.message) : describe(cause));
  }
  return found;
}
