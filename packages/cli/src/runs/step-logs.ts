import { readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { stepDirectory, type StepRecord } from '@relayflows/sdk';

export type LogStream = 'stdout' | 'stderr' | 'transcript';

/** A file in which an attempt of a step left what it printed or did. */
export interface StepLog {
  readonly stepId: string;
  readonly attempt: number;
  readonly stream: LogStream;
  readonly path: string;
}

const LOG_FILE = /^attempt-(\d+)\.(?:(stdout|stderr)\.log|(transcript)\.jsonl)$/;
const ORDER: readonly LogStream[] = ['transcript', 'stdout', 'stderr'];

/** The logs of a step that exist: those of `attempt`, by default its last one. */
export function logsOf({ dataDir, runId, step, attempt = step.attempt }: { readonly dataDir: string; readonly runId: string; readonly step: StepRecord; readonly attempt?: number | undefined }): StepLog[] {
  const directory = stepDirectory({ dataDir, runId, stepId: step.stepId });
  const found: StepLog[] = [];
  for (const name of filesIn(directory)) {
    const match = LOG_FILE.exec(name);
    if (match === null || Number(match[1]) !== attempt) continue;
    found.push({ stepId: step.stepId, attempt, stream: (match[2] ?? match[3]) as LogStream, path: join(directory, name) });
  }
  return found.sort((a, b) => ORDER.indexOf(a.stream) - ORDER.indexOf(b.stream));
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // A step that printed nothing has no folder.
    return [];
  }
}

const CHUNK = 64 * 1024;

/** Reads a log that may still grow, from where it stopped the last time. A character cut by the end of the file waits for its rest. */
export class LogReader {
  readonly log: StepLog;
  #offset = 0;
  readonly #decoder = new StringDecoder('utf8');

  constructor(log: StepLog) {
    this.log = log;
  }

  /** What was written since, in pieces. */
  async *pieces(): AsyncGenerator<string> {
    const size = statSync(this.log.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= this.#offset) return;
    const file = await open(this.log.path, 'r');
    try {
      const buffer = Buffer.alloc(Math.min(CHUNK, size - this.#offset));
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, this.#offset);
        if (bytesRead === 0) return;
        this.#offset += bytesRead;
        yield this.#decoder.write(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }
}
