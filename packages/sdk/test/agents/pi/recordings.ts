import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseRecord, textOf, type JsonRecord } from '../../../src/agents/driver/record.js';
import type { TurnRecord } from '../../../src/agents/driver/turn-record.js';
import { PiReader, type Asked } from '../../../src/agents/clis/pi/reader.js';
import type { ProcessOutcome } from '../../../src/process/port.js';
import type { AgentEvent } from '../../../src/run/events.js';

/** What pi wrote on a machine, with paths, ids and times replaced, and its system prompt cut. */
const RECORDED = fileURLToPath(new URL('../../../testdata/agents/pi/', import.meta.url));

export const VERSIONS = ['0.73.1', '1.6.0'] as const;
export type Version = (typeof VERSIONS)[number];

/** The directory that the recorded turns worked in, and the session of all of them. */
export const WORK = '/work-tree';
export const SESSION = '01a22e00-0000-7000-8000-000000000001';

export function recorded(version: Version, name: string): string {
  return readFileSync(`${RECORDED}${version}/${name}.jsonl`, 'utf8');
}

export function recordsOf(text: string): readonly JsonRecord[] {
  return text.trim().split('\n').map((line) => parseRecord(line) ?? {});
}

export interface Printed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Question = 'version' | 'models' | 'modelsNotSignedIn' | 'turnNotSignedIn' | 'otherProvider' | 'unknownModel' | 'sessionElsewhere' | 'sessionUnknown';

/** What it printed where it did not begin a turn. */
export function printed(version: Version, question: Question): Printed {
  return printedAll[version][question];
}

const printedAll = JSON.parse(readFileSync(`${RECORDED}printed.json`, 'utf8')) as Readonly<Record<Version, Readonly<Record<Question, Printed>>>> & { readonly '1.6.0': { readonly oldNode: Printed } };

/** 1.6.0, started by Node.js 20. */
export const startedByOldNode = printedAll['1.6.0'].oldNode;

export interface Reading {
  /** After the last record. */
  readonly before: TurnRecord;
  /** After the end of the process. */
  readonly turn: TurnRecord;
  readonly events: readonly AgentEvent[];
  /** Whether there was a result after each record, by the type of the record. */
  readonly settled: readonly string[];
}

/** Has records read, and the end of the process. */
export function read(records: readonly JsonRecord[], about: { readonly asked?: Partial<Asked>; readonly process?: Partial<ProcessOutcome> } = {}): Reading {
  const reader = new PiReader({ cwd: WORK, sessionless: false, ...about.asked });
  const settled: string[] = [];
  const events = records.flatMap((record) => {
    const shown = reader.read(record);
    if (reader.turn.result !== undefined) settled.push(textOf(record['type']) ?? '');
    return shown;
  });
  const before = reader.turn;
  const empty = { text: '', dropped: 0 };
  reader.end({ exitCode: 0, durationMs: 1, stdout: empty, stderr: empty, leftRunning: [], survivors: [], ...about.process });
  return { before, turn: reader.turn, events, settled };
}
