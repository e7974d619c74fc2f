import type { ErrorEvidence } from '../errors/flows-error.js';
import type { ProcessOutcome } from '../process/port.js';

/** What a finished process proves, for an error that is about it. */
export function outcomeEvidence(request: { readonly executable: string; readonly cwd: string }, args: readonly string[], outcome: ProcessOutcome): ErrorEvidence {
  return {
    command: [request.executable, ...args].join(' '),
    cwd: request.cwd,
    ...(outcome.exitCode === undefined ? {} : { exitCode: outcome.exitCode }),
    ...(outcome.signal === undefined ? {} : { signal: outcome.signal }),
    ...(outcome.stdout.text === '' ? {} : { stdoutTail: outcome.stdout.text }),
    ...(outcome.stderr.text === '' ? {} : { stderrTail: outcome.stderr.text }),
  };
}

/** How it ended and what it said last, in a few words that are never blank: `exited with status 3: no such model`. */
export function endedHow(outcome: ProcessOutcome): string {
  const said = causeLine(outcome.stderr.text) ?? causeLine(outcome.stdout.text);
  return said === undefined ? `${endedBy(outcome)} and printed nothing` : `${endedBy(outcome)}: ${said}`;
}

/** How it ended alone: `was ended by SIGKILL`, `exited with status 3`. */
export function endedBy(outcome: Pick<ProcessOutcome, 'signal' | 'exitCode'>): string {
  if (outcome.signal !== undefined) return `was ended by ${outcome.signal}`;
  return outcome.exitCode === undefined ? 'ended without a status' : `exited with status ${outcome.exitCode}`;
}

/** Lines of a stack or an object that say nothing by themselves, and what Node.js ends its stacks with. */
const FRAME = /^(?:at\s|Node\.js v\d|[^\p{L}\p{N}]*$)/u;
const ERROR = /^(?:Uncaught )?(?:[A-Z]\w*)?(?:Error|Exception)\b|^(?:error|fatal|panic)\b/i;

/** The line of an output that most likely tells why its program ended: the last one, or the error above the stack or object that stands last. */
export function causeLine(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  const telling = lines.filter((line) => !FRAME.test(line));
  const isFrame = lines.length > 0 && FRAME.test(lines.at(-1) ?? '');
  const error = isFrame ? telling.findLast((line) => ERROR.test(line)) : undefined;
  return lastLine(error ?? telling.at(-1) ?? text);
}

/** The last line that is not blank, shortened to 400 characters. */
export function lastLine(text: string): string | undefined {
  const line = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (line === '') return undefined;
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}
