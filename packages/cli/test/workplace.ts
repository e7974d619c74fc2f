import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeForOthers } from 'test-tools';
import { onTestFinished } from 'vitest';

export const LAUNCHER = fileURLToPath(new URL('../bin/flows.js', import.meta.url));

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CallOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: readonly string[];
  readonly cwd?: string;
  /** Another user and group to run as. */
  readonly uid?: number;
}

/** A command that runs, and what it has printed so far. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once stdout and stderr together match. */
  printed(pattern: RegExp): Promise<void>;
}

/** An empty folder with flows in it, in which the built command is called. */
export class Workplace {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(flows: Readonly<Record<string, string>> = {}, removed: 'with the test' | 'by hand' = 'with the test'): Promise<Workplace> {
    const workplace = new Workplace(await mkdtemp(join(tmpdir(), 'flows-cli-')));
    if (removed === 'with the test') onTestFinished(() => workplace.remove());
    for (const [name, body] of Object.entries(flows)) await workplace.write(`${name}.flow.ts`, flowSource(name, body));
    return workplace;
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }

  readonly files = (): Promise<string[]> => readdir(this.folder);

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  flows(args: readonly string[], options: CallOptions = {}): Promise<Ended> {
    return this.start(args, options).ended;
  }

  start(args: readonly string[], { env, node = [], cwd = this.folder, uid }: CallOptions = {}): Started {
    return follow(spawn(uid === undefined ? process.execPath : nodeForOthers(), [...node, LAUNCHER, ...args], { cwd, env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'], ...(uid === undefined ? {} : { uid, gid: uid }) }));
  }

  /** A line of shell in which `$flows` is the command. */
  shell(line: string, env: Readonly<Record<string, string>> = {}): Started {
    return follow(spawn('/bin/sh', ['-c', line], { cwd: this.folder, env: cleanEnvironment({ flows: `${process.execPath} ${LAUNCHER}`, ...env }), stdio: ['pipe', 'pipe', 'pipe'] }));
  }

  /** `flows … --json`, which must print exactly one document and nothing else on stdout. */
  async document(args: readonly string[], options: CallOptions = {}): Promise<Record<string, unknown> & { readonly exit: number | null }> {
    const { status, stdout, stderr } = await this.flows([...args, '--json'], options);
    if (!/^\{[^\n]*\}\n$/.test(stdout)) throw new Error(`not one document: ${JSON.stringify(stdout)}\n${stderr}`);
    return { ...(JSON.parse(stdout) as Record<string, unknown>), exit: status };
  }
}

export function flowSource(name: string, body: string): string {
  return `import { flow } from '@relayflows/surface';\nexport default flow<any>('${name}', async (f, input) => {\n${body}\n});\n`;
}

/** What would make one machine's output differ from another's is left out. */
function cleanEnvironment(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(RELAYFLOW|FLOWS_|FORCE_COLOR$|NO_COLOR$|CI$|NODE_OPTIONS$|npm_|VITEST|TERM$)/.test(name));
  return { ...Object.fromEntries(inherited), TERM: 'xterm-256color', SHELL: '/bin/sh', LC_ALL: 'C.UTF-8', ...env };
}

function follow(child: ChildProcess): Started {
  const text = { stdout: '', stderr: '' };
  let check = (): void => undefined;
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (piece: string) => {
      text[name] += piece;
      check();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal, ...text }));
  });
  return {
    child,
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        check = () => {
          if (pattern.test(text.stdout + text.stderr)) resolve();
        };
        check();
        void ended.then(() => reject(new Error(`ended without printing ${String(pattern)}:\n${text.stdout}\n${text.stderr}`)));
      }),
  };
}
