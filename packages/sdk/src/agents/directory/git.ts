import { spawn } from 'node:child_process';

/** Settings of the user's that must not reach our own calls of git: they run programs, write files, or change how names are printed. */
const NEUTRAL = [
  'core.fsmonitor=false', 'core.untrackedCache=false', 'core.hooksPath=/dev/null', 'core.quotePath=false', 'core.splitIndex=false',
  'gc.auto=0', 'maintenance.auto=false', 'advice.addEmbeddedRepo=false', 'core.safecrlf=false',
].flatMap((setting) => ['-c', setting]);

export interface GitRequest {
  readonly cwd: string;
  readonly args: readonly string[];
  /** The environment git inherits; its own variables (`GIT_*`) are taken out. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
}

export interface GitResult {
  /** 0 for success; 127 when there is no git. */
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs git without a shell, without the user's hooks and monitors, and without waiting for anybody. Never rejects. */
export async function git(request: GitRequest): Promise<GitResult> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.hostEnv)) {
    if (value !== undefined && !name.startsWith('GIT_')) env[name] = value;
  }
  Object.assign(env, { LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_LITERAL_PATHSPECS: '1' }, request.env);
  return await new Promise((resolve) => {
    const child = spawn('git', [...NEUTRAL, ...request.args], { cwd: request.cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    // A git that failed early closes its input; its exit status says why.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => resolve({ exitCode: 127, stdout: Buffer.alloc(0), stderr: error.message }));
    child.on('close', (code) => resolve({ exitCode: code ?? 128, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8').trim() }));
    child.stdin.end(request.input ?? '');
  });
}

/** The pieces of a NUL-terminated list. Names that are not UTF-8 survive as `latin1`, one character a byte: {@link nameBytes} gives them back. */
export function splitNames(list: Buffer): string[] {
  const text = list.toString('latin1');
  return text === '' ? [] : text.replace(/\0$/, '').split('\0');
}

/** A NUL-terminated list for git's standard input. */
export function joinNames(names: readonly string[]): Buffer {
  return Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');
}

/** The bytes of a name from {@link splitNames}, as the file system wants them. */
export function nameBytes(name: string): Buffer {
  return Buffer.from(name, 'latin1');
}
