import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { example, type Finished } from './practice.js';

const ADAPTER = '--relayflows-adapter-v1';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'scripted-agent-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

function call(agent: string, options: { readonly args: readonly string[]; readonly input?: string; readonly cwd: string }): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(agent, options.args, { cwd: options.cwd }, (_error, stdout, stderr) => {
      resolve({ status: child.exitCode ?? undefined, signal: child.signalCode ?? undefined, stdout, stderr });
    });
    child.stdin?.end(options.input ?? '');
  });
}

const request = (instruction: string): string => `${JSON.stringify({ protocol: 'relayflows-agent-cli-v1', instruction })}\n`;

describe('the scripted agent', () => {
  const agent = example('agents/scripted-agent');

  it('identifies itself and is signed in', async () => {
    const cwd = await folder();
    expect(await call(agent, { args: [ADAPTER], cwd })).toMatchObject({ status: 0, stdout: 'relayflows-agent-cli-v1\n', stderr: '' });
    expect(await call(agent, { args: ['auth', 'status'], cwd })).toMatchObject({ status: 0 });
    expect(await call(agent, { args: ['--help'], cwd })).toMatchObject({ status: 2 });
  });

  it('does what its script says, in the directory it is run in', async () => {
    const cwd = await folder();
    expect(await call(agent, { args: [ADAPTER], input: request('Please: Write an overview.'), cwd })).toMatchObject({
      status: 0, stdout: 'relayflows-agent-cli-v1\nrelayflows-agent-cli-v1-execute\nI wrote OVERVIEW.md.\n',
    });
    expect(await readFile(join(cwd, 'OVERVIEW.md'), 'utf8')).toContain('# Overview');
  });

  it('reports usage in an envelope', async () => {
    const { stdout } = await call(agent, { args: [ADAPTER], input: request('Greet people by name'), cwd: await folder() });
    expect(JSON.parse(stdout.split('\n')[2] ?? '')).toMatchObject({ protocol: 'relayflows-agent-cli-v1-result', usage: { input_tokens: 420, output_tokens: 96 } });
  });

  it('fails with a reason for a task that is not in its script', async () => {
    const end = await call(agent, { args: [ADAPTER], input: request('Prove a theorem'), cwd: await folder() });
    expect(end).toMatchObject({ status: 1, stderr: expect.stringContaining('No rule of') as string });
  });

  it.each(['module', 'commonjs', undefined])('runs inside a package of type %s', async (type) => {
    const root = await folder();
    const nested = join(root, 'tools', 'bin');
    await mkdir(nested, { recursive: true });
    await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'host', ...(type === undefined ? {} : { type }) }));
    for (const file of ['scripted-agent', 'scripted-agent.json']) await copyFile(example(`agents/${file}`), join(nested, file));
    await chmod(join(nested, 'scripted-agent'), 0o755);
    expect(await call(join(nested, 'scripted-agent'), { args: [ADAPTER], input: request('Rate the greeting'), cwd: root })).toMatchObject({
      status: 0, stdout: expect.stringContaining('"output":{"rating":4') as string,
    });
  });
});
