import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const EXAMPLES = fileURLToPath(new URL('../', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/flows.js', import.meta.url));

export const example = (name: string): string => join(EXAMPLES, name);
export const compatFlow = (name: string): string => fileURLToPath(new URL(`../../packages/surface/test/compat/${name}.flow.ts`, import.meta.url));

/** The members of the `--json` document that these tests read. */
export interface Report {
  readonly ok: boolean;
  readonly runId: string;
  readonly status: string;
  readonly completionReason?: string;
  readonly completionDetail?: string;
  readonly completedSteps: number;
  readonly humanWait?: { readonly waitId: string; readonly question: string; readonly to: string };
  readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly stdoutTail?: string; readonly stderrTail?: string }[];
}

export interface Finished {
  readonly status: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A fresh practice repository with its origin, removed when the test ends. */
export class Practice {
  readonly folder: string;
  readonly work: string;
  readonly origin: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.work = join(folder, 'work');
    this.origin = join(folder, 'origin.git');
  }

  static async create(): Promise<Practice> {
    const folder = await mkdtemp(join(tmpdir(), 'flows-practice-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const made = await finished(process.execPath, [example('practice-repository.mjs'), folder], { cwd: folder });
    if (made.status !== 0) throw new Error(`no practice repository: ${made.stderr}`);
    return new Practice(folder);
  }

  /** The `flows` command in the repository, the scripted agent on its PATH. */
  flows(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
    return finished(process.execPath, [COMMAND, ...args], { cwd: this.work, env });
  }

  /** `flows … --json`, which must print exactly one document. */
  async report(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Report & { readonly exitStatus: number | undefined; readonly stderr: string }> {
    const end = await this.flows([...args, '--json'], env);
    try {
      return { ...(JSON.parse(end.stdout) as Report), exitStatus: end.status, stderr: end.stderr };
    } catch (cause) {
      throw new Error(`flows ${args.join(' ')} printed no JSON document (status ${end.status}):\n${end.stdout}\n${end.stderr}`, { cause });
    }
  }

  async git(...args: readonly string[]): Promise<string> {
    const end = await finished('git', args, { cwd: this.work });
    if (end.status !== 0) throw new Error(`git ${args.join(' ')} ended with ${end.status}: ${end.stderr}`);
    return end.stdout.trim();
  }

  /** `flows …` killed with SIGKILL at a fault point, as in `executor.effect.after#3`. Gives the id of its run. */
  async killedAt(point: string, args: readonly string[]): Promise<string> {
    const end = await this.flows([...args, '--json-events'], { RELAYFLOWS_FAULT: point });
    if (end.signal !== 'SIGKILL') throw new Error(`not killed at ${point}, but ended with ${end.status}:\n${end.stdout}\n${end.stderr}`);
    return (JSON.parse(end.stdout.slice(0, end.stdout.indexOf('\n'))) as { runId: string }).runId;
  }
}

function finished(file: string, args: readonly string[], options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> }): Promise<Finished> {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1', ...options.env };
  env['PATH'] = `${example('agents')}${delimiter}${env['PATH'] ?? ''}`;
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd: options.cwd, env, maxBuffer: 64 * 1024 * 1024, timeout: 120_000, killSignal: 'SIGKILL' }, (_error, stdout, stderr) => {
      resolve({ status: child.exitCode ?? undefined, signal: child.signalCode ?? undefined, stdout, stderr });
    });
    child.stdin?.end();
  });
}
