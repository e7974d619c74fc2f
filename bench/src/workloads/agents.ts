import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentCli, makeHome, startStub, type AgentCliName } from '@relayflows/stub-llm';
import type { AgentAdapter, AgentIdentity } from '@relayflows/sdk/agents';
// Adapters are chosen by the runtime, so they and what starts processes for it are not public.
import { cliAdapters } from '../../../packages/sdk/dist/agents/clis/index.js';
import { superviseProcess } from '../../../packages/sdk/dist/process/supervise.js';
import { createRedactor } from '../../../packages/sdk/dist/redaction/redactor.js';
import type { Sample, Workload } from '../workload.js';

/** Writes what the record of Claude Code's shortest turn comes to, without being it. */
const SHORTEST_TURN = `cat > /dev/null
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"ok","total_cost_usd":0,"modelUsage":{}}'`;

interface Turn {
  readonly adapter: AgentAdapter;
  /** Lines of shell that are the CLI. */
  readonly script: string;
  readonly identity: Omit<AgentIdentity, 'executable'>;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

let turns = 0;

/** What an adapter adds to a turn: from the call to the process, and from its last act to the outcome; the longer of the two. Beside it the same of a bare `spawn`. */
async function overhead(folder: string, turn: Turn): Promise<Sample> {
  const place = await mkdtemp(join(folder, 'agents-'));
  const cwd = join(place, 'work');
  await mkdir(cwd);
  const [file, ended] = [join(place, 'cli'), join(place, 'ended')];
  await writeFile(file, `#!/bin/sh\n${turn.script}\ndate +%s%N > '${ended}'\n`);
  await chmod(file, 0o755);
  const sinceEnd = async (): Promise<number> => {
    const now = Date.now();
    return now - Number(await readFile(ended, 'utf8')) / 1e6;
  };

  const redact = createRedactor({ env: {} });
  const begun = performance.now();
  let startMs = 0;
  const { outcome } = await turn.adapter.execute({
    mode: 'agent', task: 'Say something.', cwd, runEnv: {}, hostEnv: turn.hostEnv, now: Date.now, supervise: superviseProcess,
    identity: { ...turn.identity, executable: file },
    marker: { runId: `bench-${process.pid}`, stepId: 'agent-1', attempt: (turns += 1) },
    redaction: () => redact.stream(),
    onSpawn: () => (startMs = performance.now() - begun),
    onEvent: () => undefined,
  });
  const endMs = await sinceEnd();
  if (outcome.class !== 'success') throw new Error(`${turn.adapter.name} did not succeed: ${JSON.stringify(outcome)}`);
  return { value: Math.max(startMs, endMs), floor: await bare(sinceEnd, file, turn) };
}

async function bare(sinceEnd: () => Promise<number>, file: string, { hostEnv, script }: Turn): Promise<number> {
  const begun = performance.now();
  // A real CLI would want its arguments; what a process costs is the same with any program.
  const child = spawn(script === SHORTEST_TURN ? file : '/bin/sh', script === SHORTEST_TURN ? [] : ['-c', `date +%s%N > '${file.replace(/cli$/, 'ended')}'`], { env: hostEnv, stdio: ['pipe', 'pipe', 'pipe'] });
  const startMs = performance.now() - begun;
  // It may be gone before it was told anything.
  child.stdin.on('error', () => undefined).end('Say something.');
  child.stdout.resume();
  child.stderr.resume();
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  return Math.max(startMs, await sinceEnd());
}

const shared = { unit: 'ms', floorTitle: 'bare spawn', target: { of: 'value', direction: 'at most', limit: 50 } } as const;

function adapterOf(name: string): AgentAdapter {
  const adapter = cliAdapters.find((candidate) => candidate.name === name);
  if (adapter === undefined) throw new Error(`There is no adapter for ${name}.`);
  return adapter;
}

export const agents: Workload = {
  ...shared,
  key: 'agents',
  title: 'a turn of an agent: start to process, end to outcome (the longer)',
  rounds: 25,
  measure: async (folder) => await overhead(folder, { adapter: adapterOf('claude'), script: SHORTEST_TURN, identity: {}, hostEnv: { PATH: process.env['PATH'], HOME: folder } }),
};

const CLIS: readonly AgentCliName[] = ['claude', 'codex', 'opencode', 'gemini', 'pi'];

/** The same around the real CLIs that are installed for the tests, with a model server that answers at once. */
export const realAgents: readonly Workload[] = CLIS.flatMap((name): readonly Workload[] => {
  const cli = agentCli(name);
  if (cli === undefined) return [];
  return [{
    ...shared,
    key: `agents-${name}`,
    title: `the same around ${name} ${cli.version}`,
    rounds: 5,
    measure: async (folder) => {
      const stub = await startStub({ scenario: { turns: [{ text: 'ok' }] } });
      try {
        const home = await makeHome({ directory: await mkdtemp(join(folder, `home-${name}-`)), url: stub.url });
        return await overhead(folder, { adapter: adapterOf(name), script: `'${cli.path}' "$@"`, identity: { version: cli.version }, hostEnv: { ...home.environment(), ...cli.env } });
      } finally {
        await stub.stop();
      }
    },
  }];
});
