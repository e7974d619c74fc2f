import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { driveCli, type CliCall } from '../../../src/agents/driver/drive.js';
import { countOf, textOf, type JsonRecord } from '../../../src/agents/driver/record.js';
import type { TurnReader, TurnRecord } from '../../../src/agents/driver/turn-record.js';
import type { CliWords } from '../../../src/agents/driver/words.js';
import type { AgentRequest, AgentTurn } from '../../../src/agents/port.js';
import { superviseProcess } from '../../../src/process/supervise.js';
import { createRedactor } from '../../../src/redaction/redactor.js';
import type { AgentEvent } from '../../../src/run/events.js';
import { folder } from '../fixture.js';

export const words: CliWords = { cli: 'scripted', install: 'npm install -g scripted', update: 'scripted update', signIn: 'run scripted login', models: 'run scripted models' };

/** An executable of this shell program in a folder of its own. */
export function executable(program: string, name = 'scripted'): string {
  const file = join(folder(), name);
  writeFileSync(file, `#!/bin/sh\n${program}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Reads records that say plainly what they mean: session, model, message, usage, result, refused, back (the result is taken back), noise. */
export class PlainReader implements TurnReader {
  turn: TurnRecord = {};

  isNoise(record: JsonRecord): boolean {
    return record['type'] === 'noise';
  }

  read(record: JsonRecord): readonly AgentEvent[] {
    const text = textOf(record['text']) ?? '';
    switch (record['type']) {
      case 'session':
        this.turn = { ...this.turn, sessionId: text };
        return [];
      case 'message':
        this.turn = { ...this.turn, message: text };
        return [{ type: 'message', text }];
      case 'model':
        this.turn = { ...this.turn, model: text };
        return [];
      case 'usage':
        this.turn = { ...this.turn, usage: { inputTokens: countOf(record['input']) ?? 0, outputTokens: 0 } };
        return [];
      case 'warning':
        this.turn = { ...this.turn, warnings: [{ code: 'odd', text }] };
        return [];
      case 'result':
        this.turn = { ...this.turn, result: { ok: true, message: text } };
        return [{ type: 'other', name: 'result' }];
      case 'refused':
        this.turn = { ...this.turn, result: { ok: false, text } };
        return [];
      case 'at-once':
        this.turn = { ...this.turn, result: { ok: false, kind: 'session_unknown', text }, stop: true };
        return [];
      case 'back': {
        const { result: _result, ...turn } = this.turn;
        this.turn = turn;
        return [];
      }
      default:
        return [];
    }
  }
}

export interface Played {
  readonly turn: AgentTurn;
  readonly events: readonly AgentEvent[];
  readonly cwd: string;
}

let attempts = 0;

/** Drives a shell program through one turn. */
export async function drive(program: string, more: Partial<AgentRequest> & { readonly call?: Partial<CliCall>; readonly reader?: TurnReader; readonly secrets?: Readonly<Record<string, string>> } = {}): Promise<Played> {
  const { call, reader, secrets, ...request } = more;
  const cwd = folder();
  const hostEnv = { PATH: process.env['PATH'], ...secrets };
  const redactor = createRedactor({ env: hostEnv });
  const events: AgentEvent[] = [];
  attempts += 1;
  const turn = await driveCli({
    words,
    call: { args: [], input: '', ...call },
    reader: reader ?? new PlainReader(),
    request: {
      mode: 'agent', identity: { executable: executable(program) }, task: '', cwd, hostEnv, runEnv: {},
      marker: { runId: `driver-${process.pid}`, stepId: 'agent-1', attempt: attempts },
      now: Date.now, supervise: superviseProcess, redaction: () => redactor.stream(),
      ...request,
      onEvent: (event) => {
        events.push(event);
        request.onEvent?.(event);
      },
    },
  });
  return { turn, events, cwd };
}

/** A shell command that prints records, all of them at once. */
export function say(...records: readonly Readonly<Record<string, unknown>>[]): string {
  return [`printf '%s\\n'`, ...records.map((record) => `'${JSON.stringify(record).replaceAll("'", `'\\''`)}'`)].join(' ');
}
