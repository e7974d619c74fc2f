import { commandLine } from '../../src/commands/command-line.js';
import type { Io, Output } from '../../src/commands/io.js';
import type { Home } from '../../src/host/home.js';

export interface Called {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface World {
  readonly home?: Home;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly columns?: number;
  readonly now?: number;
}

/** Calls a command within this process; nobody can be asked. */
export async function call(args: readonly string[], { home, cwd = '/', env = {}, input = '', columns = 100, now }: World = {}): Promise<Called> {
  const text = { out: '', err: '' };
  const output = (name: 'out' | 'err'): Output => ({
    isTerminal: false,
    columns,
    closed: false,
    write(piece) {
      text[name] += piece;
    },
    flushed: () => Promise.resolve(undefined),
  });
  const io: Io = {
    env: { PATH: process.env['PATH'], HOME: '/nowhere', ...(home === undefined ? {} : { RELAY_FLOW_HOME: home.root }), ...env },
    cwd,
    out: output('out'),
    err: output('err'),
    canAsk: false,
    now: () => now ?? Date.now(),
    input: (limit) => Promise.resolve(Buffer.byteLength(input) > limit ? undefined : input),
  };
  const status = await commandLine({ args, version: '1.2.3', io });
  return { status, stdout: text.out, stderr: text.err };
}

/** With `--json`, which must print exactly one line and nothing else. */
export async function document(args: readonly string[], world: World = {}): Promise<{ readonly status: number; readonly ok: boolean; readonly data?: unknown; readonly error?: Readonly<Record<string, unknown>> }> {
  const { status, stdout, stderr } = await call([...args, '--json'], world);
  if (!/^\{[^\n]*\}\n$/.test(stdout) || stderr !== '') throw new Error(`not one document: ${JSON.stringify(stdout)}\n${stderr}`);
  return { ...(JSON.parse(stdout) as { readonly ok: boolean }), status };
}
