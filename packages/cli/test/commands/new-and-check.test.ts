import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, document } from '../in-process.js';
import { flowSource, Workplace } from '../workplace.js';

test('the first five minutes: new, check, run, status', async () => {
  const place = await Workplace.create();
  const made = await place.flows(['new', 'hello']);
  expect(made.status).toBe(0);
  expect(made.stdout).toMatchSnapshot();
  const checked = await place.flows(['check', 'hello.flow.ts']);
  expect(checked).toMatchObject({ status: 0, stderr: '' });
  expect(checked.stdout).toMatch(/^CHECK PASSED$/m);
  const ran = await place.flows(['run', 'hello.flow.ts', '--input', '{"name":"you"}']);
  expect(ran).toMatchObject({ status: 0 });
  expect(ran.stderr).toContain('Hello, you');
});

test('new never overwrites, and makes folders', async () => {
  const place = await Workplace.create({ mine: `f.done('success');` });
  const before = await readFile(join(place.folder, 'mine.flow.ts'), 'utf8');
  expect(await call(place.folder, ['new', 'mine'])).toMatchObject({ status: 2, stderr: expect.stringContaining('[file_exists]') as string });
  expect(await call(place.folder, ['new', 'mine.flow.ts'])).toMatchObject({ status: 2 });
  expect(await readFile(join(place.folder, 'mine.flow.ts'), 'utf8')).toBe(before);
  expect(await call(place.folder, ['new', 'flows/nightly'])).toMatchObject({ status: 0 });
  expect(await readFile(join(place.folder, 'flows/nightly.flow.ts'), 'utf8')).toContain(`flow<Input>('nightly'`);
});

test.each([['with no name and no terminal', []], ['a name of blanks', [' ']], [`a name that is code`, [`x'); y('`]]])('new refuses %s', async (_, args) => {
  const place = await Workplace.create();
  expect(await call(place.folder, ['new', ...args])).toMatchObject({ status: 2, stderr: expect.stringContaining('[invalid_invocation]') as string });
  expect(await place.files()).toEqual([]);
});

test('check says what a flow is, and journals nothing', async () => {
  const place = await Workplace.create({ child: `f.done('success');` });
  await place.write('parent.flow.ts', flowSource('parent', `f.done('success');`).replace(`'parent', `, `'parent', { version: '1.2.0', use: ['./child.flow.ts'], budget: '$5/run' }, `));
  expect(await document(place.folder, ['check', 'parent.flow.ts'])).toMatchObject({
    exit: 0, ok: true, command: 'check', path: 'parent.flow.ts', runId: null, status: 'passed', flowName: 'parent', flowVersion: '1.2.0', children: ['child'], budget: '$5/run', digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string, diagnostics: [], resolutions: [],
  });
  expect((await place.files()).sort()).toEqual(['child.flow.ts', 'parent.flow.ts']);
});

const withAgent = (cli: string): string => flowSource('agents', `f.done('success');`).replace(`'agents', `, `'agents', { agents: { coder: { cli: '${cli}', model: 'm1' } } }, `);

test('check finds the agents and asks them', async () => {
  const place = await Workplace.create();
  await place.write('agents.flow.ts', withAgent('./wrapper'));
  await place.write('wrapper', '#!/bin/sh\ncase "$1" in --relayflows-adapter-v1) echo relayflows-agent-cli-v1 ;; auth) exit 0 ;; *) exit 1 ;; esac\n');
  await chmod(join(place.folder, 'wrapper'), 0o755);
  expect(await document(place.folder, ['check', 'agents.flow.ts'])).toMatchObject({ exit: 0, resolutions: [{ agent: 'coder', cli: './wrapper', model: 'm1', executable: expect.stringMatching(/\/wrapper$/) as string }] });
});

test('check collects every problem', async () => {
  const place = await Workplace.create();
  await place.write('agents.flow.ts', withAgent('no-such-agent').replace('{ agents', `{ budget: 'much', workspace: 'w', agents`));
  const { exit, ok, diagnostics } = await document(place.folder, ['check', 'agents.flow.ts']);
  expect({ exit, ok }).toEqual({ exit: 2, ok: false });
  expect((diagnostics as { code: string }[]).map(({ code }) => code).sort()).toEqual(['budget_syntax_invalid', 'cli_missing', 'unsupported_header']);
  const shown = await call(place.folder, ['check', 'agents.flow.ts']);
  expect(shown.stdout).toMatch(/^CHECK FAILED$/m);
  expect(shown.stderr.match(/^REFUSED \[\w+\]/gm)).toHaveLength(3);
});

test('check refuses what is no flow', async () => {
  const place = await Workplace.create();
  await place.write('plain.ts', 'export default 1;');
  await mkdir(join(place.folder, 'dir.flow.ts'));
  for (const path of ['plain.ts', 'dir.flow.ts', 'absent.flow.ts']) expect(await document(place.folder, ['check', path])).toMatchObject({ exit: 2, ok: false, status: 'refused' });
});
