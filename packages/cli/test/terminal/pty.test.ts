import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { needs } from 'test-tools';
import { widthOf } from '../../src/text/width.js';
import { Workplace, type Started } from '../workplace.js';
import { onTerminal, plain, sequences } from './pty.js';

const test = needs('script', 'stty');

const RESTORED = 'isig icanon echo ';
const TALKS = `await f.run('echo one'); f.phase('checking'); await f.run('printf "two\\\\033]0;evil\\\\007\\\\033[2J\\\\n"; until [ -e go ]; do sleep 0.05; done'); f.done('success');`;

function type({ child }: Started, keys: string): void {
  child.stdin?.write(keys);
}

test('shows a running step, and a summary at the end', async () => {
  const place = await Workplace.create({ talks: TALKS });
  const run = onTerminal(place, `run talks.flow.ts --input '{}'`);
  await run.printed(/run-2/);
  await place.write('go', '');
  const { stdout } = await run.ended;
  const text = plain(stdout);
  expect(text).toMatch(/✓ run-1 +echo one +\d+(\.\d)?m?s\n/);
  expect(text).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] run-2 +printf/);
  expect(text).toMatch(/\nrelayflow phase: checking\n/);
  expect(text).toMatch(/1 done · \d+s · checking · o output · \? help/);
  expect(text).toMatch(/\nstep +what +time\nrun-1[^\n]*\nrun-2[^\n]*\n +total, [^\n]*\n\nRUN \w+ completed \(2 steps\) completionReason: success\nstatus=0/);
  expect(text).toContain(RESTORED);
  expectOwnSequences(stdout);
});

/** Moving up, erasing, colors and the cursor: nothing that came from the flow. */
function expectOwnSequences(stdout: string): void {
  for (const sequence of sequences(stdout)) expect(sequence).toMatch(/^"\\u001b\[(\?25[lh]|\d+A|[JK]|\d+m)"$/);
}

test('o shows the output of the running step, and again hides it; ? helps', async () => {
  const place = await Workplace.create({ talks: TALKS });
  const run = onTerminal(place, `run talks.flow.ts --input '{}'`);
  await run.printed(/run-2/);
  type(run, 'o');
  await run.printed(/│ two/);
  type(run, 'o?');
  await run.printed(/Twice: kill at once/);
  await place.write('go', '');
  const { stdout } = await run.ended;
  expect(plain(stdout)).toContain('status=0');
  expectOwnSequences(stdout);
});

test('Ctrl-C stops in good order and says how to go on', async () => {
  const place = await Workplace.create({ talks: TALKS });
  const run = onTerminal(place, `run talks.flow.ts --input '{}'`);
  await run.printed(/run-2/);
  type(run, '\u0003');
  const text = plain((await run.ended).stdout);
  expect(text).toContain('Stopping. The run can be resumed afterwards. Press Ctrl-C again to kill it at once.');
  expect(text).toMatch(/RUN (\w+) interrupted \(1 step\) completionReason: none\nStopped; finished steps are kept\. Go on with: flows resume \1\nstatus=130/);
  expect(text).toContain(RESTORED);
});

test('Ctrl-C twice kills at once, and nothing survives', async () => {
  const place = await Workplace.create({ stubborn: `await f.run('trap "" TERM; echo $$ > pid; sleep 600; sleep 600'); f.done('success');` });
  const run = onTerminal(place, `run stubborn.flow.ts --input '{}'`);
  const written = (): string => (existsSync(join(place.folder, 'pid')) ? readFileSync(join(place.folder, 'pid'), 'utf8') : '');
  await expect.poll(written).toMatch(/^\d+\n$/);
  type(run, '\u0003');
  await run.printed(/Stopping/);
  type(run, '\u0003');
  const text = plain((await run.ended).stdout);
  expect(text).toMatch(/Killed\. flows resume \w+ goes on with what is finished\.\nstatus=130/);
  expect(text).toContain(RESTORED);
  const pid = Number(written());
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('a hang-up stops in good order', async () => {
  const place = await Workplace.create({ talks: TALKS });
  const run = onTerminal(place, `run talks.flow.ts --input '{}'`);
  await run.printed(/run-2/);
  run.child.kill('SIGKILL');
  await run.ended;
  await expect.poll(async () => (await place.flows(['runs'])).stdout, { interval: 300 }).toContain('interrupted');
});

test('NO_COLOR leaves the colors out', async () => {
  const place = await Workplace.create({ quick: `await f.run('true'); await f.run('true'); f.done('success');` });
  const { stdout } = await onTerminal(place, `run quick.flow.ts --input '{}'`, { env: { NO_COLOR: '1' } }).ended;
  expect(plain(stdout)).toContain('status=0');
  for (const sequence of sequences(stdout)) expect(sequence).not.toMatch(/m"$/);
});

test('a dumb terminal gets plain lines', async () => {
  const place = await Workplace.create({ quick: `await f.run('true'); f.done('success');` });
  const { stdout } = await onTerminal(place, `run quick.flow.ts --input '{}'`, { env: { TERM: 'dumb' } }).ended;
  expect(stdout).toContain('run-1 started: true');
  expect(sequences(stdout)).toEqual([]);
});

test('nothing is wider than a narrow terminal', async () => {
  const place = await Workplace.create({ wide: `await Promise.all([f.run('true # 日本語のとても長い題名 🎉🎉🎉'), f.run('until [ -e go ]; do sleep 0.05; done # a command that is much longer than a line')]); f.done('success');` });
  const run = onTerminal(place, `run wide.flow.ts --input '{}'`, { columns: 20, rows: 8 });
  // What is done, what runs and the line below them, as they are drawn while the second step lasts.
  await run.printed(/✓[^]*[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏][^]*1 done · /);
  await place.write('go', '');
  const { stdout } = await run.ended;
  const painted = plain(stdout).split('\n').filter((line) => /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏✓]|· /.test(line));
  expect(painted.length).toBeGreaterThan(3);
  for (const line of painted) expect(widthOf(line)).toBeLessThanOrEqual(20);
});

test('a run in the background does not touch the terminal', async () => {
  const place = await Workplace.create({ quick: `await f.run('true'); f.done('success');` });
  const inside = `set -m; $flows run quick.flow.ts --input '{}' & wait $!; echo "status=$?"`;
  const { stdout } = await place.shell(`exec script -qefc "$inside" /dev/null`, { inside }).ended;
  expect(plain(stdout)).toMatch(/RUN \w+ completed[^\n]*\nstatus=0/);
});

test('a terminal shows the colors of a log and obeys nothing else', async () => {
  const place = await Workplace.create({ red: `await f.run('printf "\\\\033[31mred\\\\033[0m\\\\033[2J\\\\033]0;evil\\\\007\\\\n"'); f.done('success');` });
  await place.flows(['run', 'red.flow.ts', '--input', '{}']);
  const { stdout } = await onTerminal(place, 'logs last run-1').ended;
  expect(stdout).toContain('\u001B[31mred\u001B[0m');
  expect(sequences(stdout)).toEqual(['"\\u001b[31m"', '"\\u001b[0m"']);
  const piped = await place.flows(['logs', 'last', 'run-1']);
  expect(piped.stdout).toBe('\u001B[31mred\u001B[0m\u001B[2J\u001B]0;evil\u0007\n');
});

test('new asks for a name on a terminal', async () => {
  const place = await Workplace.create();
  const run = onTerminal(place, 'new');
  await run.printed(/Name of the flow/);
  type(run, 'asked\n');
  expect(plain((await run.ended).stdout)).toContain('Wrote asked.flow.ts');
  expect(await place.files()).toEqual(['asked.flow.ts']);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
