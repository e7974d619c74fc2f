import { inspect } from 'node:util';
import type { AgentUsage } from '../agents/port.js';
import type { ErrorCode } from '../errors/codes.js';
import type { JsonValue } from '../ports/json.js';
import { parseDuration } from '../run/duration.js';

/** An answer of a script in one form, its defaults filled in. */
export interface ReadAnswer {
  readonly takesMs: number;
  readonly ends:
    | { readonly how: 'exit'; readonly exitCode: number }
    | { readonly how: 'message'; readonly message: JsonValue }
    | { readonly how: 'signal'; readonly signal: string }
    | { readonly how: 'error'; readonly error: string; readonly code: string | undefined }
    | { readonly how: 'crash' };
  readonly stdout: string;
  readonly stderr: string;
  readonly artifacts: readonly string[];
  readonly usage: AgentUsage | undefined;
}

export interface ReadHumanAnswer {
  readonly takesMs: number;
  readonly answer: boolean;
  readonly note: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** Which members an answer may have beside `takes`, by the member that tells how it ended. */
const RUN_ENDS: Readonly<Record<string, readonly string[]>> = { exitCode: ['stdout', 'stderr', 'artifacts'], signal: ['stdout', 'stderr'], error: [], crash: [] };
const TALK_ENDS: Readonly<Record<string, readonly string[]>> = { message: ['usage', 'artifacts'], error: ['code', 'usage'], signal: ['usage'], crash: [] };

const REFUSALS: readonly ErrorCode[] = ['worker_error', 'cli_missing', 'cli_unauthenticated', 'cli_unsupported', 'cli_outdated', 'provider_usage_limited', 'provider_unavailable', 'model_unavailable', 'model_unknown'];

/** Reads the answer to a command. Throws a sentence without its end for one that cannot be. */
export function readRunAnswer(answer: unknown): ReadAnswer {
  const given = typeof answer === 'string' ? { stdout: answer } : membersOf(answer);
  const end = endOf(given, RUN_ENDS) ?? 'exitCode';
  refuseOthers(given, [end, ...(RUN_ENDS[end] ?? [])]);
  const exitCode = given['exitCode'] ?? 0;
  if (typeof exitCode !== 'number' || !Number.isInteger(exitCode) || exitCode < 0 || exitCode > 255) throw new Error(`its exitCode is ${shown(exitCode)}, which is no whole number from 0 to 255`);
  return { ...common(given), ends: end === 'exitCode' ? { how: 'exit', exitCode } : otherEnd(end, given), stdout: text(given, 'stdout'), stderr: text(given, 'stderr') };
}

/** Reads the answer of an agent, or of a model, whose `message` may be any JSON. Throws a sentence without its end for one that cannot be. */
export function readTalk(kind: 'agent' | 'llm', answer: unknown): ReadAnswer {
  const given = typeof answer === 'string' ? { message: answer } : membersOf(answer);
  const end = endOf(given, TALK_ENDS);
  if (end === undefined) throw new Error('it has none of message, error, signal and crash');
  refuseOthers(given, [end, ...(TALK_ENDS[end] ?? []).filter((member) => kind === 'agent' || member !== 'artifacts')]);
  const { message } = given;
  if (end === 'message' && kind === 'agent' && typeof message !== 'string') throw new Error(`its message is ${shown(message)}, which is no text`);
  return { ...common(given), ends: end === 'message' ? { how: 'message', message: message as JsonValue } : otherEnd(end, given), stdout: '', stderr: '' };
}

/** Reads what a person decided; `undefined` for never. Throws a sentence without its end for what cannot be. */
export function readHumanAnswer(answer: unknown): ReadHumanAnswer | undefined {
  if (answer === 'never') return undefined;
  const given = typeof answer === 'boolean' ? { answer } : membersOf(answer);
  refuseOthers(given, ['answer', 'note']);
  if (typeof given['answer'] !== 'boolean') throw new Error(`its answer is ${shown(given['answer'])}, which is neither true nor false`);
  return { takesMs: takes(given), answer: given['answer'], note: given['note'] === undefined ? undefined : text(given, 'note') };
}

function membersOf(answer: unknown): Members {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw new Error(`it answered ${shown(answer)}`);
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== undefined));
}

function endOf(given: Members, ends: Readonly<Record<string, readonly string[]>>): string | undefined {
  const found = Object.keys(ends).filter((member) => given[member] !== undefined);
  if (found.length > 1) throw new Error(`it has both ${found.slice(0, 2).join(' and ')}`);
  return found[0];
}

function refuseOthers(given: Members, known: readonly string[]): void {
  const all = ['takes', ...known];
  const other = Object.keys(given).find((member) => !all.includes(member));
  if (other !== undefined) throw new Error(`it has a member ${other}, which does not go with the others; known here: ${all.join(', ')}`);
}

function common(given: Members): Pick<ReadAnswer, 'takesMs' | 'artifacts' | 'usage'> {
  const artifacts = given['artifacts'] ?? [];
  if (!Array.isArray(artifacts) || !artifacts.every((file) => typeof file === 'string' && file !== '')) throw new Error('its artifacts are no list of paths');
  return { takesMs: takes(given), artifacts: artifacts as string[], usage: usageOf(given['usage']) };
}

function takes(given: Members): number {
  const value = given['takes'] ?? 0;
  try {
    return parseDuration(value as string | number, { what: 'takes', min: 0 });
  } catch (error) {
    throw new Error(`its takes is ${shown(value)}, which is no duration: give whole milliseconds, or a text such as "90s", "15m" or "2h"`, { cause: error });
  }
}

function otherEnd(end: string, given: Members): ReadAnswer['ends'] {
  if (end === 'crash') {
    if (given['crash'] !== true) throw new Error(`its crash is ${shown(given['crash'])}; write true, or leave it out`);
    return { how: 'crash' };
  }
  if (end === 'signal') {
    const signal = text(given, 'signal');
    if (!/^SIG[A-Z0-9]+$/.test(signal)) throw new Error(`its signal is ${shown(signal)}; write a name such as SIGKILL`);
    return { how: 'signal', signal };
  }
  const { code } = given;
  if (code !== undefined && !REFUSALS.some((known) => known === code)) throw new Error(`its code is ${shown(code)}; known: ${REFUSALS.join(', ')}`);
  return { how: 'error', error: text(given, 'error'), code: code as string | undefined };
}

function usageOf(usage: unknown): AgentUsage | undefined {
  if (usage === undefined) return { inputTokens: 0, outputTokens: 0 };
  if (usage === null) return undefined;
  const { inputTokens, outputTokens, ...rest } = membersOf(usage);
  const numbers: [string, unknown][] = Object.entries({ inputTokens, outputTokens, ...rest });
  const wrong = numbers.find(([name, value]) => typeof value !== 'number' || !(value >= 0) || !['inputTokens', 'outputTokens', 'cachedInputTokens', 'microDollars'].includes(name));
  if (wrong !== undefined) throw new Error(`its usage has ${wrong[0]}: ${shown(wrong[1])}`);
  return usage as AgentUsage;
}

function text(given: Members, member: string): string {
  const value = given[member] ?? '';
  if (typeof value !== 'string') throw new Error(`its ${member} is ${shown(value)}, which is no text`);
  return value;
}

function shown(value: unknown): string {
  return inspect(value, { depth: 3, breakLength: Infinity }).slice(0, 120);
}
