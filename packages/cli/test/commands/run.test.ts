import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Workplace } from '../workplace.js';

const RUN_LINE = /^RUN ([0-9a-z]{15}) (\w+) \((\d+) steps?\) completionReason: (\w+)\n$/;

/** Ids, times and folders are replaced, so that the rest can be compared. */
function steady(text: string, folder: string): string {
  return text.replaceAll(folder, '<folder>').replace(/\b1[0-9a-hjkmnp-tv-z]{14}\b/g, '<run>').replace(/\b\d+(\.\d)?m?s\b/g, '<time>');
}

test('prints the verdict on stdout, everything else on stderr', async () => {
  const place = await Workplace.create({
    hello: `
      f.phase('greeting');
      console.log('from the body');
      const text = await f.run('echo hello; echo aside >&2');
      await f.uuid();
      f.done('success', { detail: text });`,
  });
  const { status, stdout, stderr } = await place.flows(['run', 'hello.flow.ts', '--input', '{}']);
  expect({ status, run: RUN_LINE.exec(stdout)?.slice(2) }).toEqual({ status: 0, run: ['completed', '2', 'success'] });
  expect(steady(stderr, place.folder)).toMatchSnapshot();
});

test('a failing command is shown with its exit status and output', async () => {
  const place = await Workplace.create({ fails: `await f.run('seq 1 3; echo oops >&2; exit 7'); f.done('success');` });
  const { status, stdout, stderr } = await place.flows(['run', 'fails.flow.ts', '--input', '{}']);
  expect({ status, run: RUN_LINE.exec(stdout)?.slice(2) }).toEqual({ status: 1, run: ['failed', '0', 'step_failed'] });
  expect(steady(stderr, place.folder)).toMatchSnapshot();
});

test('--verbose prints output as it arrives, line by line', async () => {
  const place = await Workplace.create({ talks: `await f.run('printf "one\\\\ntwo"; printf "\\\\033[2Jodd\\\\n" >&2'); f.done('success');` });
  const { stderr } = await place.flows(['run', 'talks.flow.ts', '--input', '{}', '--verbose']);
  expect(stderr.match(/^run-1 \| .*$/gm)?.sort()).toEqual(['run-1 | odd', 'run-1 | one', 'run-1 | two']);
});

test.each([
  ['success', 0, 'completed', `f.done('success');`],
  ['declined', 0, 'completed', `f.done('declined', { detail: 'nothing to do' });`],
  ['needs_human', 3, 'completed', `f.done('needs_human', { detail: 'which file?' });`],
  ['needs_human', 3, 'parked', `await f.human('Ship it?', { to: '@you' }); f.done('success');`],
  ['step_failed', 1, 'failed', `throw new Error('odd');`],
])('a run that ends %s exits with %d', async (reason, exit, status, body) => {
  const place = await Workplace.create({ ends: body });
  expect(await place.document(['run', 'ends.flow.ts', '--input', '{}'])).toMatchObject({
    exit, status, ok: exit === 0, command: 'run', path: 'ends.flow.ts', completionReason: reason, resolutions: [], ...(status === 'parked' ? { parkCause: 'needs_human', humanWait: { waitId: 'human-1' } } : {}),
  });
});

test.each([
  ['invalid_invocation', ['run', 'a.flow.ts', '--inptu', '{}']],
  ['invalid_invocation', ['run']],
  ['input_missing', ['run', 'a.flow.ts']],
  ['input_invalid', ['run', 'a.flow.ts', '--input', '{']],
  ['invalid_spec', ['run', 'absent.flow.ts', '--input', '{}']],
  ['invalid_spec', ['run', 'broken.flow.ts', '--input', '{}']],
  ['cwd_invalid', ['run', 'a.flow.ts', '--input', '{}', '--cwd', 'absent', '--data-dir', 'data']],
  ['cwd_invalid', ['run', 'a.flow.ts', '--input', '{}', '--cwd', 'absent']],
  ['cwd_invalid', ['run', 'a.flow.ts', '--input', '{}', '--cwd', 'a.flow.ts']],
  ['run_not_found', ['resume', 'last']],
  ['run_not_found', ['status', 'last']],
])('%s is refused with exit status 2 and one document: %s', async (code, args) => {
  const place = await Workplace.create({ a: `f.done('success');`, broken: 'const = 1;' });
  const { exit, diagnostics, ...document } = await place.document(args);
  expect({ exit, ...document }).toMatchObject({ exit: 2, ok: false, command: args[0], runId: null, rootRunId: null, status: 'refused', completionReason: null, completedSteps: 0, resolutions: [] });
  expect(diagnostics).toMatchObject([{ severity: 'error', code }]);
  expect(await place.files()).toEqual(['a.flow.ts', 'broken.flow.ts']);
});

test('--json-events prints events as lines and the report last', async () => {
  const place = await Workplace.create({ hello: `console.log('aside'); await f.run('echo hi'); f.done('success');` });
  const { status, stdout, stderr } = await place.flows(['run', 'hello.flow.ts', '--input', '{}', '--json-events']);
  const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { type: string; runId: string });
  expect(status).toBe(0);
  expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(['run.started', 'step.started', 'step.output', 'step.completed', 'run.completed']));
  expect(lines.at(-1)).toMatchObject({ type: 'report', ok: true, command: 'run', completedSteps: 1 });
  expect(new Set(lines.map(({ runId }) => runId)).size).toBe(1);
  expect(stderr).toContain('aside');
});

test('a refusal in a stream of events is a report too', async () => {
  const place = await Workplace.create();
  const { status, stdout } = await place.flows(['run', 'absent.flow.ts', '--input', '{}', '--json-events']);
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'report', ok: false });
});

test('steps run in --cwd, and the journal lies there', async () => {
  const place = await Workplace.create({ where: `f.done('success', { detail: await f.run('pwd') });` });
  await mkdir(join(place.folder, 'sub'));
  expect(await place.document(['run', 'where.flow.ts', '--input', '{}', '--cwd', 'sub'])).toMatchObject({ completionDetail: expect.stringMatching(/\/sub$/) as string });
  expect(await place.files()).not.toContain('.relayflowd');
});

test.each(['timer', 'promise'])('an error that nobody handles, from a %s, is the failure of the run', async (how) => {
  const place = await Workplace.create({
    odd: `
      await f.run('true');
      if (input.how === 'timer') setTimeout(() => { throw new Error('from nowhere'); }, 5);
      else void Promise.reject(new Error('from nowhere'));
      await f.run('sleep 0.2');
      f.done('success');`,
  });
  const document = await place.document(['run', 'odd.flow.ts', '--input', JSON.stringify({ how })]);
  expect(document).toMatchObject({ exit: 1, status: 'failed' });
  expect(JSON.stringify(document['diagnostics'])).toContain('from nowhere');
});

test('a flow that ends the process is no success', async () => {
  const place = await Workplace.create({ quits: `await f.run('true'); process.exit(0);` });
  expect(await place.document(['run', 'quits.flow.ts', '--input', '{}'])).toMatchObject({ exit: 1, ok: false, path: 'quits.flow.ts', diagnostics: [{ code: 'body_failed', message: expect.stringContaining('process.exit(0)') as string }] });
});

test.each([['check', 'quits.flow.ts'], ['run', 'quits.flow.ts', '--input', '{}']])('a flow that ends the process at its top level is refused by %s', async (...args) => {
  const place = await Workplace.create();
  await place.write('quits.flow.ts', `process.exit(0);\nexport default 1;\n`);
  expect(await place.document(args, { env: { TMPDIR: place.folder, NODE_DISABLE_COMPILE_CACHE: '1' } })).toMatchObject({
    exit: 2, ok: false, path: 'quits.flow.ts', runId: null, diagnostics: [{ code: 'invalid_spec', message: 'The flow ended the process with process.exit(0) while it was loaded.' }],
  });
  expect(await place.files()).toEqual(['quits.flow.ts']);
});
