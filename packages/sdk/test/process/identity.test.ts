import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { identityOf, isAlive, isOfAnotherBoot, ownIdentity } from '../../src/process/identity.js';
import { markerVariables, ofRun, ofStep } from '../../src/process/marker.js';
import { parseStat, procTable } from '../../src/process/proc-table.js';
import { parsePsRow, psTable } from '../../src/process/ps-table.js';
import { eventually, marker, start } from './harness.js';

const linux = process.platform === 'linux';

describe('identity', () => {
  it('of this process is alive and always the same', () => {
    expect(ownIdentity()).toEqual(identityOf(process.pid));
    expect(ownIdentity().startTime).not.toBe('');
    expect(isAlive(ownIdentity())).toBe(true);
    expect(isOfAnotherBoot(ownIdentity())).toBe(false);
  });

  it('of a child ends with it, and a zombie is dead', async () => {
    // The shell never collects its child, which so becomes a zombie.
    const parent = spawn('/bin/sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    const child = identityOf(pid) ?? { pid, startTime: '', bootId: ownIdentity().bootId };
    await eventually(() => isAlive({ ...child, startTime: child.startTime || '1' }) === false, 'the zombie');
    expect(identityOf(pid)).toBeUndefined();
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });

  it('is not fooled by a number used again', () => {
    expect(isAlive({ ...ownIdentity(), startTime: '1' })).toBe(false);
  });

  it('tells nothing across boots and namespaces, or without a start time', () => {
    const { bootId } = ownIdentity();
    expect(isAlive({ ...ownIdentity(), bootId: 'another' })).toBeUndefined();
    expect(isAlive({ ...ownIdentity(), startTime: '' })).toBeUndefined();
    const otherNamespace = { ...ownIdentity(), bootId: `${bootId.split('/')[0]}/pid:[1]` };
    expect(isAlive(otherNamespace)).toBeUndefined();
    expect(isOfAnotherBoot(otherNamespace)).toBe(false);
    expect(isOfAnotherBoot({ ...ownIdentity(), bootId: `0000/pid:[1]` })).toBe(true);
    expect(isOfAnotherBoot({ ...ownIdentity(), bootId: '' })).toBe(false);
  });

  it('of a supervised process is handed out while it lives', async () => {
    let told: unknown;
    const child = start('cat', { input: { open: true }, onSpawn: (identity) => (told = identity) });
    expect(child.identity).toEqual(identityOf(child.identity?.pid ?? 0));
    expect(told).toEqual(child.identity);
    child.closeInput();
    await child.outcome;
    expect(child.identity?.startTime).not.toBe('');
    expect(isAlive(child.identity!)).toBe(false);
  });
});

describe('the process table', () => {
  it.each([
    ['a plain name', '42 (sh) S 1 40 40 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 1', { pid: 42, parent: 1, group: 40, startTime: '98765' }],
    ['a name like fields', '42 (a) S 9) R 1 40 40 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 1', { pid: 42, parent: 1, group: 40, startTime: '98765' }],
    ['a zombie', '42 (sh) Z 1 40 40 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 1', undefined],
  ])('reads %s', (_, line, entry) => {
    expect(parseStat(line)).toEqual(entry);
  });

  it.each([
    ['  42     1    40 Ss   Mon Nov  3 16:06:47 2025 /bin/sh -c x', { pid: 42, parent: 1, group: 40, startTime: 'Mon Nov 3 16:06:47 2025' }],
    ['  42     1    40 Z    Mon Nov 30 16:06:47 2025 (sh)', undefined],
    ['', undefined],
  ])('reads %j of ps', (line, entry) => {
    expect(parsePsRow(line)?.entry).toEqual(entry);
  });

  it.each(linux ? [['/proc', procTable] as const, ['ps', psTable] as const] : [['ps', psTable] as const])('%s finds processes, scopes and command lines', async (_, table) => {
    const own = marker();
    const child = start('exec sleep 60', { marker: own });
    const pid = child.identity?.pid ?? 0;
    await eventually(() => table.command(pid) === 'sleep 60', 'the command line');
    expect(table.find(pid)).toMatchObject({ pid, parent: process.pid, group: pid });
    expect(table.all().find((entry) => entry.pid === pid)).toEqual(table.find(pid));
    expect(table.marked().filter((entry) => ofStep(own)(entry.scope)).map((entry) => entry.pid)).toEqual([pid]);
    child.stop('canceled');
    await child.outcome;
    expect(table.find(pid)).toBeUndefined();
    expect(table.command(pid)).toBe('');
  });
});

describe('the marker', () => {
  const own = { runId: 'abc', stepId: 'dispatch-5--run-1', attempt: 2 };

  it('names the run, the step and the attempt', () => {
    expect(markerVariables(own, {})).toEqual({ RELAYFLOW_RUN_ID: 'abc', RELAYFLOW_STEP_ID: 'dispatch-5--run-1', RELAYFLOW_ATTEMPT: '2', RELAYFLOW_SCOPE: 'abc/dispatch-5--run-1/2' });
  });

  it('keeps the scopes around it', () => {
    expect(markerVariables(own, { RELAYFLOW_SCOPE: 'outer/run-1/1' })['RELAYFLOW_SCOPE']).toBe('outer/run-1/1;abc/dispatch-5--run-1/2');
    expect(markerVariables(own, { RELAYFLOW_SCOPE: '' })['RELAYFLOW_SCOPE']).toBe('abc/dispatch-5--run-1/2');
  });

  it.each([
    ['abc/dispatch-5--run-1/2', true, true],
    ['outer/run-1/1;abc/dispatch-5--run-1/2;inner/run-1/1', true, true],
    ['abc/dispatch-5--run-1/1', false, true],
    ['abc/dispatch-5--run-1/22', false, true],
    ['abc/run-1/2', false, true],
    ['xabc/dispatch-5--run-1/2', false, false],
    ['abcd/dispatch-5--run-1/2', false, false],
    ['', false, false],
  ])('%s is of the step: %s, of the run: %s', (scope, step, run) => {
    expect([ofStep(own)(scope), ofRun('abc')(scope)]).toEqual([step, run]);
  });
});
