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
  const how =
    outcome.signal !== undefined ? `was ended by ${outcome.signal}`
    : outcome.exitCode !== undefined ? `exited with status ${outcome.exitCode}`
    : 'ended without a status';
  const said = lastLine(outcome.stderr.text) ?? lastLine(outcome.stdout.text);
  return said === undefined ? `${how} and printed nothing` : `${how}: ${said}`;
}

/** The last line that is not blank, shortened to 400 characters. */
export function lastLine(text: string): string | undefined {
  const line = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (line === '') return undefined;
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}
