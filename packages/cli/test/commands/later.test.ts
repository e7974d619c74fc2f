import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Workplace } from '../workplace.js';

const GATE = `
  await f.run('echo once >> log.txt');
  const yes = await f.human('Ship it?', { to: '@you' });
  if (yes) await f.run('echo shipped >> log.txt');
  f.done(yes ? 'success' : 'declined');`;

async function waiting(): Promise<{ readonly place: Workplace; readonly id: string }> {
  const place = await Workplace.create({ gate: GATE });
  const { runId, exit } = await place.document(['run', 'gate.flow.ts', '--input', '{}']);
  expect(exit).toBe(3);
  return { place, id: String(runId) };
}

test('a question is printed with the command that answers it, and the answer goes on with the run', async () => {
  const { place, id } = await waiting();
  const status = await place.flows(['status', id.slice(0, -2)]);
  expect(status.stdout).toContain(`PARKED [needs_human] human-2 asks @you: Ship it?\n  flows answer ${id} human-2 yes    (or no)`);

  const answered = await place.flows(['answer', 'last', 'human-2', 'yes', '--by', 'ann', '--note', 'go']);
  expect(answered).toMatchObject({ status: 0, stdout: `RUN ${id} completed (3 steps) completionReason: success\n` });
  expect(answered.stderr).toMatch(/^human-2 answered: yes\n/);
  expect(await readFile(join(place.folder, 'log.txt'), 'utf8')).toBe('once\nshipped\n');

  expect(await place.document(['answer', id, 'human-2', 'no'])).toMatchObject({ exit: 2, ok: false, command: 'answer' });
  expect(await place.document(['resume', id])).toMatchObject({ exit: 0, status: 'completed', completionReason: 'success' });
});

test('no is an answer', async () => {
  const { place, id } = await waiting();
  expect(await place.document(['answer', id, 'human-2', 'false'])).toMatchObject({ exit: 0, ok: true, completionReason: 'declined' });
});

test('a run that waits can be canceled, once', async () => {
  const { place, id } = await waiting();
  expect(await place.flows(['cancel', 'last'])).toMatchObject({ status: 0, stdout: `RUN ${id} canceled (1 step) completionReason: canceled\n` });
  expect(await place.document(['cancel', id])).toMatchObject({ exit: 2, ok: false, diagnostics: [{ code: 'run_finished' }] });
  expect(await place.document(['answer', id, 'human-2', 'yes'])).toMatchObject({ exit: 2, ok: false });
});

test('SIGTERM stops a run in good order, and resume does not repeat what is finished', async () => {
  const place = await Workplace.create({ slow: `await f.run('echo once >> log.txt'); await f.run('test -e go || sleep 60'); f.done('success');` });
  const running = place.start(['run', 'slow.flow.ts', '--input', '{}']);
  await running.printed(/run-2 started/);
  running.child.kill('SIGTERM');
  const stopped = await running.ended;
  expect(stopped).toMatchObject({ status: 143, signal: null });
  expect(stopped.stdout).toMatch(/^RUN \w+ interrupted \(1 step\) completionReason: none\n$/);
  expect(stopped.stderr).toMatch(/Go on with: flows resume \w+\n$/);

  await place.write('go', '');
  expect(await place.flows(['resume', 'last'])).toMatchObject({ status: 0 });
  expect(await readFile(join(place.folder, 'log.txt'), 'utf8')).toBe('once\n');
});

test('a run whose process was killed says so, and is resumed', async () => {
  const place = await Workplace.create({ killed: `await f.run('true'); await f.run('test -e again || { touch again; kill -9 $PPID; sleep 60; }'); f.done('success');` });
  expect(await place.flows(['run', 'killed.flow.ts', '--input', '{}'])).toMatchObject({ signal: 'SIGKILL', stdout: '' });
  expect((await place.flows(['runs'])).stdout).toContain('running (process gone)');
  expect((await place.flows(['status', 'last'])).stdout).toMatch(/process +\d+ is gone: flows resume \w+/);
  expect(await place.document(['resume', 'last'])).toMatchObject({ exit: 0, completedSteps: 2 });
});

test('--current-source runs the edited file', async () => {
  const { place, id } = await waiting();
  const path = join(place.folder, 'gate.flow.ts');
  await writeFile(path, (await readFile(path, 'utf8')).replace('echo shipped', 'echo delivered'));
  await place.flows(['resume', id, '--current-source']);
  expect(await place.document(['answer', id, 'human-2', 'yes'])).toMatchObject({ exit: 0 });
  expect(await readFile(join(place.folder, 'log.txt'), 'utf8')).toBe('once\ndelivered\n');
});

test.each([
  [['--step', 'run-1']],
  [['--rerun']],
  [['--step', 'run-1', '--rerun', '--fail']],
])('resume %s says that a step goes with a decision', async (flags) => {
  const place = await Workplace.create();
  expect(await place.document(['resume', 'last', ...flags])).toMatchObject({ exit: 2, diagnostics: [{ code: 'invalid_invocation' }] });
});
