import { spawn } from 'node:child_process';
import { parsedJson, recordOf, textOf } from '../json.js';

/** What the command said. `code` is the server's, or one of `unreachable`, `timeout` and `malformed` where it said nothing that can be read. */
export type Answer =
  | { readonly ok: true; readonly answer: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Runs `relay-flow <verb>` with these bytes on its standard input. Never rejects. */
export type RunCommand = (verb: 'report' | 'runtime-register', input: string) => Promise<Answer>;

const TIMEOUT_MS = 60_000;
/** More than the command ever says; what is beyond is not kept. */
const OUTPUT_BYTES = 1_048_576;

/** Runs the executable without a shell. Its folder is the state folder, since that of the session may have been removed. */
export function commandRunner(executable: string, home: string, timeoutMs = TIMEOUT_MS): RunCommand {
  return (verb, input) => new Promise((resolve) => {
    let child;
    try {
      child = spawn(executable, [verb], { cwd: home, stdio: ['pipe', 'pipe', 'pipe'] });
    } catch {
      // Some runtimes throw where Node emits an error.
      resolve(unreachable(executable));
      return;
    }
    const started = child;
    const output = { stdout: '', stderr: '' };
    let over = false;
    const timer = setTimeout(() => {
      over = true;
      started.kill('SIGKILL');
      // What it has started itself may hold its output open.
      resolve({ ok: false, code: 'timeout', message: `${executable} did not answer within ${timeoutMs / 1_000} s.` });
    }, timeoutMs);
    timer.unref();
    for (const name of ['stdout', 'stderr'] as const) {
      started[name].setEncoding('utf8').on('data', (text: string) => {
        if (output[name].length < OUTPUT_BYTES) output[name] += text;
      });
    }
    started.on('error', () => {
      clearTimeout(timer);
      resolve(unreachable(executable));
    });
    started.on('close', (exitCode) => {
      clearTimeout(timer);
      if (!over) resolve(answerOf(exitCode, output));
    });
    // It may end without reading its input; then its exit says why.
    started.stdin.on('error', () => {});
    started.stdin.end(input);
  });
}

function unreachable(executable: string): Answer {
  return { ok: false, code: 'unreachable', message: `${executable} could not be started.` };
}

function answerOf(exitCode: number | null, { stdout, stderr }: { readonly stdout: string; readonly stderr: string }): Answer {
  if (exitCode === 0) {
    const answer = parsedJson(stdout);
    if (typeof answer === 'object' && answer !== null) return { ok: true, answer: recordOf(answer) };
    return { ok: false, code: 'malformed', message: 'relay-flow answered with something that is no JSON object.' };
  }
  // Programs that run it may write their own lines before; the error is the last one.
  for (const line of [stderr, ...stderr.split('\n').toReversed()]) {
    const { code, message } = recordOf(parsedJson(line));
    if (textOf(code) !== undefined) return { ok: false, code: textOf(code) ?? '', message: textOf(message) ?? '' };
  }
  return { ok: false, code: 'malformed', message: `relay-flow ended with exit code ${exitCode ?? 'none'} and said nothing that can be read.` };
}
