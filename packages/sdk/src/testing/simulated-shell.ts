import { join, relative } from 'node:path';
import { Tail } from '../process/tail.js';
import type { CapturedStream, ProcessOutcome, Shell, StreamRequest } from '../process/port.js';
import { readRunAnswer } from './answers.js';
import type { SimulatedFiles } from './simulated-files.js';
import type { RunCall } from './script.js';
import type { Played, Stage } from './stage.js';

/** A shell that asks the script instead of starting anything. */
export function simulatedShell(stage: Stage, files: SimulatedFiles): Shell {
  type Request = Parameters<Shell['run']>[0];

  async function outcomeOf(request: Request): Promise<ProcessOutcome> {
    const { marker, timeoutMs, input } = request;
    const played = await stage.play<RunCall>({
      call: {
        kind: 'run', id: marker.stepId, attempt: marker.attempt, command: request.command, env: request.env, cwd: relative(files.root, request.cwd) || '.',
        timeout: timeoutMs ?? Number.POSITIVE_INFINITY,
        ...(typeof input === 'string' ? { stdin: input } : {}),
      },
      read: readRunAnswer,
      timeoutMs,
      signal: request.signal,
    });
    if (played.ending === 'answered') for (const file of played.answer.artifacts) files.add(join(request.cwd, file));
    return { ...endOf(played), stdout: captured(played.answer.stdout, request.stdout), stderr: captured(played.answer.stderr, request.stderr), leftRunning: [], survivors: [] };
  }

  return {
    run: (request) => ({ identity: undefined, outcome: outcomeOf(request), stop: () => undefined, write: () => undefined, closeInput: () => undefined }),
  };
}

function endOf({ ending, answer }: Played): Pick<ProcessOutcome, 'exitCode' | 'signal' | 'stopped' | 'spawnError' | 'durationMs'> {
  const durationMs = answer.takesMs;
  if (ending !== 'answered') return { durationMs, stopped: ending, signal: 'SIGTERM' };
  const { ends } = answer;
  if (ends.how === 'error') return { durationMs, spawnError: { code: 'EAGAIN', message: ends.error.replace(/\.$/, ''), transient: false } };
  return { durationMs, ...(ends.how === 'signal' ? { signal: ends.signal } : ends.how === 'exit' ? { exitCode: ends.exitCode } : {}) };
}

/** What a step keeps of an output: as of a real one. */
function captured(text: string, request: StreamRequest | undefined): CapturedStream {
  const redacted = request?.redaction === undefined ? text : request.redaction.push(text) + request.redaction.end();
  if (redacted !== '') request?.onText?.(redacted);
  const tail = new Tail(request?.retainBytes ?? 1024 * 1024);
  tail.push(redacted);
  return tail.end();
}
