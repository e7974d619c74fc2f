import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { commandLine } from '../../src/runner/orca/command-line.js';
import { promptOrPointer } from '../../src/server/activities/prompt-file.js';
import { report } from '../workflow/interpreter/stage.js';
import { hurried, Recorded, recordedServer } from './recorded.js';
import { STRAIGHT } from './world.js';

const LONG = `Long: ${'Mind the "quotes" of it\'s words.\n'.repeat(5_000)}END`;

let workspace: string;

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'rf-')));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
});

const of = () => ({ workspace, name: 'prompt-3', ticket: 'K-1', node: 'build' });

it('a prompt that is too long for a command line stands in a private file that git does not see', () => {
  execFileSync('git', ['init', '-q', workspace]);
  expect(promptOrPointer('Short.', of())).toBe('Short.');
  expect(readdirSync(workspace)).toEqual(['.git']);
  const pointer = promptOrPointer(LONG, of());
  expect(pointer).toMatch(/^You work on ticket K-1 at the step build\. .*\.relay-flow\/prompt-3\.md/);
  expect(pointer.length).toBeLessThan(400);
  const file = join(workspace, '.relay-flow', 'prompt-3.md');
  expect(readFileSync(file, 'utf8')).toBe(`${LONG}\n`);
  expect([statSync(file).mode & 0o777, statSync(join(workspace, '.relay-flow')).mode & 0o777]).toEqual([0o600, 0o700]);
  // Again, with other words.
  promptOrPointer(`${LONG}!`, of());
  expect(readFileSync(file, 'utf8')).toBe(`${LONG}!\n`);
  expect(readdirSync(join(workspace, '.relay-flow')).toSorted()).toEqual(['.gitignore', 'prompt-3.md']);
  expect(execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: workspace, encoding: 'utf8' })).toBe('');
});

it('a folder that a full disk left without its rule for git gets it, and one that has another keeps that', () => {
  execFileSync('git', ['init', '-q', workspace]);
  const ignore = join(workspace, '.relay-flow', '.gitignore');
  mkdirSync(join(workspace, '.relay-flow'));
  writeFileSync(ignore, '');
  promptOrPointer(LONG, of());
  expect(execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: workspace, encoding: 'utf8' })).toBe('');
  writeFileSync(ignore, 'prompt-*\n');
  promptOrPointer(LONG, of());
  expect(readFileSync(ignore, 'utf8')).toBe('prompt-*\n');
});

it('says what to do where the folder cannot be made', () => {
  expect(() => promptOrPointer(LONG, { ...of(), workspace: join(workspace, 'gone') })).toThrow(expect.objectContaining({ code: 'home_unusable', text: expect.stringMatching(/cannot be made: ENOENT\.$/), hint: expect.stringContaining('Check') }));
});

it('a link in the place of the folder is not followed', () => {
  const elsewhere = join(workspace, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(workspace, '.relay-flow'));
  expect(() => promptOrPointer(LONG, of())).toThrow(expect.objectContaining({ code: 'runner_conflict' }));
  rmSync(join(workspace, '.relay-flow'));
  writeFileSync(join(workspace, '.relay-flow'), '');
  expect(() => promptOrPointer(LONG, of())).toThrow(expect.objectContaining({ code: 'runner_conflict' }));
  expect(readdirSync(elsewhere)).toEqual([]);
});

it('a fresh agent, one that goes on, and one that is replaced get theirs with the command or in one line, whatever its length', async () => {
  const recorded = new Recorded();
  Object.assign(recorded.terminals.runner, { ensureWorkspace: async ({ ticket }: { ticket: string }) => ({ ticket, path: workspace }) });
  const workflow = STRAIGHT.replace('    agent: coder\n', `    agent: coder\n    nudgePrompt: ${JSON.stringify(LONG)}\n`);
  const entry = await recordedServer(recorded, { workflow: ['straight', workflow], options: { clock: hurried((ms) => (ms === 60_000 ? 20 : ms)) } });
  recorded.ticket('K-1');
  const waits = async (depth: number) => await entry.world.until('K-1', ({ state, steps }) => state === 'waiting' && steps.some((step) => step.depth === depth && step.status === 'waiting'));
  await waits(0);
  const { launched } = recorded.terminals;
  const fileOf = (text: string | undefined): string => readFileSync(join(workspace, /\.relay-flow\/prompt-\d+\.md/.exec(text ?? '')?.[0] ?? 'nothing'), 'utf8');
  expect(fileOf(launched[0]?.args.at(-1))).toBe(`Begin build.\n\n${LONG}\n`);
  expect(launched[0]?.typed).toEqual([]);
  expect(launched[0]?.env['RELAY_FLOW_NUDGE_PROMPT']).toBe('');
  expect(() => commandLine({ file: 'agent', args: launched[0]?.args ?? [], env: launched[0]?.env ?? {} })).not.toThrow();
  await entry.world.client.call('deliverReport', { body: { runId: 'app/straight/K-1', node: 'build', reportId: 'a', report: report('build', 'failure') } });
  await waits(1);
  expect(launched[0]?.typed).toHaveLength(1);
  expect(fileOf(launched[0]?.typed[0])).toMatch(/^Go on with build\.[^]*END\n$/);
  await entry.world.client.call('registerSession', { body: { runId: 'app/straight/K-1', node: 'build', sessionId: 'ses_1' } });
  for (const terminal of launched) terminal.live = false;
  await entry.world.until('K-1', () => launched.length === 2);
  expect(launched[1]?.typed).toEqual([]);
  expect(launched[1]?.args.join(' ')).toMatch(/^--session ses_1 Your work on ticket K-1/);
});
