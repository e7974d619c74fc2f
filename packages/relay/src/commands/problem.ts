import { isRelayError } from '../errors/relay-error.js';
import { UsageError } from './command.js';
import type { Refusal } from './invocation/parse.js';
import { manyLines, oneLine } from './text/clean.js';
import type { Paint } from './text/paint.js';

/** Why a command did not do what it was asked to. */
export interface Problem {
  /** Of a `RelayError`, of a `FlowsError`, or `usage`. */
  readonly code: string;
  readonly text: string;
  readonly hint?: string;
  readonly evidence?: Readonly<Record<string, unknown>>;
  readonly exit: 1 | 2;
  /** For those who can correct relay-flow itself. */
  readonly details?: readonly string[];
}

export function problemOfRefusal({ text, hint }: Refusal): Problem {
  return { code: 'usage', text, hint, exit: 2 };
}

/** Anything thrown. What is neither ours nor foreseen is a bug; its details hide the folders of the user. */
export async function problemOf(error: unknown, at: { readonly version: string; readonly home: string | undefined; readonly cwd: string }): Promise<Problem> {
  if (error instanceof UsageError) return { code: 'usage', text: error.message, hint: error.hint, exit: 2 };
  if (isRelayError(error)) return problemOfOurs(error);
  // Most commands only speak to the server and never load the engine, which takes longer than they do.
  const { isFlowsError } = await import('@relayflows/sdk');
  if (isFlowsError(error)) return problemOfOurs(error);
  const hidden = (words: string): string => [[at.cwd, '<cwd>'] as const, [at.home ?? '', '~'] as const].reduce((shown, [path, word]) => (path.length > 1 ? shown.replaceAll(path, word) : shown), words);
  const named = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    code: 'internal_error',
    text: `This is a bug in relay-flow: ${hidden(named)}`,
    hint: 'Please report it with the lines below.',
    exit: 1,
    details: [`relay-flow ${at.version}, node ${process.versions.node}, ${process.platform} ${process.arch}`, ...hidden(error instanceof Error ? (error.stack ?? '') : '').split('\n').slice(1)],
  };
}

function problemOfOurs({ code, text, hint, evidence }: Pick<Problem, 'code' | 'text'> & { readonly hint?: string; readonly evidence: Readonly<Record<string, unknown>> }): Problem {
  return { code, text, exit: 1, ...(hint === undefined ? {} : { hint }), ...(Object.keys(evidence).length === 0 ? {} : { evidence }) };
}

export function problemLines({ code, text, hint, exit, details = [] }: Problem, paint: Paint): string[] {
  const [first = '', ...rest] = manyLines(text).split('\n');
  return [
    `${paint.red(exit === 2 ? 'REFUSED' : 'FAILED')} [${code}] ${first}`,
    ...rest.map((line) => `  ${line}`.trimEnd()),
    ...(hint === undefined ? [] : [`  ${oneLine(hint)}`]),
    ...(details.length === 0 ? [] : ['', ...details.map((line) => `  ${oneLine(line)}`)]),
  ];
}

export function problemDocument({ code, text, hint, evidence }: Problem): object {
  return { ok: false, error: { code, message: text, ...(hint === undefined ? {} : { hint }), ...(evidence === undefined ? {} : { evidence }) } };
}
