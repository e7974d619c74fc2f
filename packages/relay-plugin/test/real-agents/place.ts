import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonLines } from 'test-tools';
import { agentCacheFolder, agentCli, makeHome, startStub, type AgentCliName, type Scenario, type StubServer } from '@relayflows/stub-llm';
import { reportContract, type Routes } from '../../src/report/index.js';

export const ROUTES: Routes = { success: [{ target: 'review', when: 'it is complete' }], failure: [{ target: 'fix' }] };
export const CONTRACT = reportContract(ROUTES);

/** One call of the fake `relay-flow`. */
export interface Call {
  readonly verb: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The bytes of its standard input. */
  readonly bytes: string;
}

/** A repository, a home with settings for a model server that plays a scenario, and a `relay-flow` that writes down what it is told. */
export interface Place {
  readonly repository: string;
  readonly home: string;
  readonly relayHome: string;
  readonly executable: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stub: StubServer;
  readonly calls: (verb: string) => readonly Call[];
  /** The next call of `relay-flow report` is answered with this refusal. */
  readonly refuseNext: (code: string, message: string) => Promise<void>;
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

export async function startPlace(name: AgentCliName, scenario: Scenario, node: Readonly<Record<string, string>> = {}): Promise<Place> {
  const cli = agentCli(name);
  if (cli === undefined) throw new Error(`${name} is not installed at its pinned version. To install it and run these tests: npm run test:agents`);
  const homes = join(agentCacheFolder(), 'homes');
  await mkdir(homes, { recursive: true });
  const stub = await startStub({ scenario });
  const home = await makeHome({ directory: await mkdtemp(join(homes, `relay-${name}-`)), url: stub.url });
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'relay-plugin-')));
  const repository = join(folder, 'repository');
  const relayHome = join(folder, 'relay-home');
  await mkdir(relayHome);
  execFileSync('git', ['init', '-q', '-b', 'main', repository]);
  execFileSync('git', ['-C', repository, '-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-q', '--allow-empty', '-m', 'Begin']);
  const command = await fakeRelayFlow(folder);
  const env = {
    ...home.environment(),
    ...cli.env,
    // OpenCode installs a package of its own into `.opencode` and its settings at the first start, and shows no plugin before that has worked or failed.
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_fetch_retries: '0',
    RELAY_FLOW_HOME: relayHome,
    RELAY_FLOW_RUN_ID: 'shop/fix/SHOP-1',
    RELAY_FLOW_WORKFLOW: 'fix',
    RELAY_FLOW_REPO: 'shop',
    RELAY_FLOW_TICKET: 'SHOP-1',
    RELAY_FLOW_NODE: 'build',
    RELAY_FLOW_NODE_TYPE: 'agent',
    RELAY_FLOW_NUDGE_PROMPT: '',
    RELAY_FLOW_NEXT_STEPS_JSON: JSON.stringify([...ROUTES.success, ...ROUTES.failure]),
    RELAY_FLOW_REPORT_FORMAT: CONTRACT,
    RELAY_FLOW_COMMAND: command,
    ...node,
  };
  const calls = (verb: string): readonly Call[] => {
    const called = jsonLines<{ readonly verb: string; readonly bytes: string }>(join(folder, 'calls.jsonl'));
    return called.map((call) => ({ ...call, input: JSON.parse(call.bytes) as Call['input'] })).filter((call) => call.verb === verb);
  };
  return {
    repository,
    home: home.directory,
    relayHome,
    executable: cli.path,
    env,
    stub,
    calls,
    refuseNext: (code, message) => writeFile(join(folder, 'refuse.json'), JSON.stringify({ code, message })),
    log: () => (existsSync(join(relayHome, 'plugin.log')) ? readFileSync(join(relayHome, 'plugin.log'), 'utf8') : ''),
    stop: async () => {
      await stub.stop();
      for (const directory of [home.directory, folder]) await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Answers as the real one does: JSON on standard output, or exit code 1 and an error on standard error. */
async function fakeRelayFlow(folder: string): Promise<string> {
  const file = join(folder, 'relay-flow');
  await writeFile(file, [
    `#!${process.execPath}`,
    `const { appendFileSync, existsSync, readFileSync, renameSync } = require('node:fs');`,
    `const bytes = readFileSync(0, 'utf8');`,
    `const verb = process.argv.slice(2).join(' ');`,
    `appendFileSync(${JSON.stringify(join(folder, 'calls.jsonl'))}, JSON.stringify({ verb, bytes }) + '\\n');`,
    `const refusal = ${JSON.stringify(join(folder, 'refuse.json'))};`,
    `if (verb === 'report' && existsSync(refusal)) {`,
    `  renameSync(refusal, refusal + '.done');`,
    `  process.stderr.write(readFileSync(refusal + '.done', 'utf8') + '\\n');`,
    `  process.exit(1);`,
    `}`,
    `process.stdout.write(verb === 'report' ? '{"accepted":true,"duplicate":false}\\n' : '{"accepted":true}\\n');`,
    '',
  ].join('\n'));
  await chmod(file, 0o755);
  return file;
}

/** A program in a terminal of 140 columns and 50 rows. */
export interface OnTerminal {
  readonly type: (keys: string) => void;
  /** All that was drawn, with its control sequences. */
  readonly drawn: () => string;
  readonly stop: () => Promise<void>;
}

export async function onTerminal(place: Place, args: readonly string[]): Promise<OnTerminal> {
  const quoted = [place.executable, ...args].map((word) => `'${word.replaceAll(`'`, `'\\''`)}'`).join(' ');
  const launcher = join(place.relayHome, '..', 'launch.sh');
  await writeFile(launcher, `stty cols 140 rows 50\necho $$ > '${launcher}.pid'\nexec ${quoted}\n`);
  const child = spawn('script', ['-qfec', `sh ${launcher}`, '/dev/null'], { cwd: place.repository, env: { ...place.env, TERM: 'xterm-256color', SHELL: '/bin/sh' }, stdio: ['pipe', 'pipe', 'inherit'] });
  const drawn: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => drawn.push(text));
  return {
    type: (keys) => child.stdin.write(keys),
    drawn: () => drawn.join(''),
    stop: () => stopped(child, () => Number(readFileSync(`${launcher}.pid`, 'utf8'))),
  };
}

/** Ends the program by the id that it wrote down, then `script`, which waits for it. */
async function stopped(child: ChildProcess, pid: () => number): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    process.kill(pid(), 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
  await ended;
}

/** What was drawn without colors and cursor movements. */
export function plain(drawn: string): string {
  return drawn.replaceAll(/\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)/g, '').replaceAll(/\u001B\[[0-9;?<>=]*[ -/]*[@-~]/g, '').replaceAll(/\u001B[ -/]*[0-~]/g, '');
}

