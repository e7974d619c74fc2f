import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseRecord } from '../../../src/agents/driver/record.js';
import { CodexReader } from '../../../src/agents/clis/codex/reader.js';
import { NO_TOKENS } from '../../../src/agents/clis/codex/rollout.js';
import { noTokens, type TurnTokens } from '../../../src/agents/clis/codex/tokens.js';
import type { TurnRecord } from '../../../src/agents/driver/turn-record.js';
import type { AgentRequest } from '../../../src/agents/port.js';
import type { ProcessOutcome } from '../../../src/process/port.js';
import type { AgentEvent } from '../../../src/run/events.js';

/** What Codex 0.171.0 wrote, with paths, ids and addresses replaced and long texts cut. */
export const RECORDED = fileURLToPath(new URL('../../../testdata/agents/codex/', import.meta.url));

export function recorded(name: string): string {
  return readFileSync(`${RECORDED}records/${name}.jsonl`, 'utf8');
}

/** Where the turn of a recording lies in the recorded sessions. */
export function threadOf(name: string): string {
  return /"thread_id":"([^"]+)"/.exec(recorded(name))?.[1] ?? '';
}

export interface Reading {
  readonly turn: TurnRecord;
  readonly events: readonly AgentEvent[];
}

type Request = ConstructorParameters<typeof CodexReader>[0];

/** Has a turn read whole, to its end. */
export async function readTurn(text: string, about: { readonly request?: Partial<Pick<AgentRequest, keyof Request>>; readonly tokens?: TurnTokens; readonly process?: Partial<ProcessOutcome> } = {}): Promise<Reading> {
  const reader = new CodexReader({ mode: 'agent', cwd: '/repo', ...about.request }, about.tokens ?? noTokens);
  const events = text.split('\n').flatMap((line) => {
    const record = parseRecord(line);
    return record === undefined ? [] : reader.read(record);
  });
  const empty = { text: '', dropped: 0 };
  await reader.end({ exitCode: 0, durationMs: 1, stdout: empty, stderr: empty, leftRunning: [], survivors: [], ...about.process });
  return { turn: reader.turn, events };
}

/** Tokens that are known from the start. */
export function knownTokens(known: Partial<Omit<TurnTokens, 'read'>>): TurnTokens {
  return { before: NO_TOKENS, own: undefined, others: NO_TOKENS, model: undefined, ...known, read: async () => undefined };
}
