import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { agentCacheFolder, agentCli, makeHome, PINNED_CLIS, shippedScenario, startStub, type AgentCliName } from '@relayflows/stub-llm';
import { execa } from 'execa';
import { needsAgentCli } from 'test-tools';
import { describe, expect, onTestFinished } from 'vitest';

/** Switches for one headless turn that may do everything, with the prompt on stdin. */
const HEADLESS: Readonly<Record<string, readonly string[]>> = {
  claude: ['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'],
  codex: ['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', '-'],
  opencode: ['run', '--format', 'json', '--auto'],
  pi: ['-p', '--mode', 'json', '--offline'],
  gemini: ['--yolo', '-o', 'stream-json'],
};

/** 300 KB with what shells, quotes and line ends like to spoil. It ends in no line break: pi strips what is blank around a prompt. */
const LONG_PROMPT = `Please implement it.\n${'zażółć \u{1F600} "quoted" \'too\' $HOME `date` \\n <b> \t| \r\n'.repeat(5_000)}The end.`;

async function folder(): Promise<string> {
  // Not below the system's temporary folder: codex warns about a home there.
  await mkdir(agentCacheFolder(), { recursive: true });
  const path = await mkdtemp(join(agentCacheFolder(), 'smoke-'));
  onTestFinished(async () => await rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

async function turn(name: AgentCliName, prompt: string) {
  const cli = agentCli(name);
  if (cli === undefined) throw new Error(`${name} went away`);
  const place = await folder();
  const repository = join(place, 'repository');
  const stub = await startStub({ scenario: shippedScenario('implement-and-commit') });
  onTestFinished(async () => await stub.stop());
  const home = await makeHome({ directory: join(place, 'home'), url: stub.url });
  // opencode works where PWD says. GEMINI_CLI_NO_RELAUNCH spares gemini a second process.
  const env = { ...home.environment(), ...cli.env, PWD: repository, GEMINI_CLI_NO_RELAUNCH: 'true' };
  const git = async (...args: readonly string[]): Promise<string> => (await execa('git', args, { cwd: repository, env, extendEnv: false })).stdout;
  await mkdir(repository);
  await git('init', '-q', '-b', 'main');
  // Its own identity: gemini hides the global settings of git from its shell.
  await git('config', 'user.name', 'Stub Agent');
  await git('config', 'user.email', 'stub@example.invalid');
  await git('commit', '-q', '--allow-empty', '-m', 'Begin');
  const [bin = ''] = name.split('-');
  const result = await execa(cli.path, HEADLESS[bin] ?? [], { cwd: repository, env, extendEnv: false, input: prompt, reject: false, timeout: 240_000 });
  return { result, stub, git, read: async (file: string) => await readFile(join(repository, file), 'utf8') };
}

describe.each(PINNED_CLIS)('$package@$version', ({ name }) => {
  const test = needsAgentCli(name);

  test('writes, commits and reports, and the server sees each step', async () => {
    const { result, stub, git, read } = await turn(name, LONG_PROMPT);
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Done: hello.txt is committed') });
    expect(await git('show', 'HEAD:hello.txt')).toBe('hello from the stub');
    expect(await git('rev-list', '--count', 'HEAD')).toBe('2');
    expect(await read('summary.md')).toBe('# Summary\n\nAdded hello.txt and committed it.\n');

    const requests = stub.requests().filter(({ side }) => !side);
    expect(requests.map((request) => request.turn)).toEqual([0, 1, 2, 3]);
    expect(requests.map(({ user }) => user === LONG_PROMPT)).toEqual([true, true, true, true]);
    expect(stub.entries().filter(({ type }) => type === 'stub-error')).toEqual([]);
  });
});
