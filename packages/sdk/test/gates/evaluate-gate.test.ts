import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/ports/json.js';
import type { ProcessOutcome } from '../../src/process/port.js';
import { evaluateGate, type GateCommand, type GateEvaluation } from '../../src/verbs/gates/index.js';

let directory: string;
let warnings: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gates-'));
  warnings = [];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A real shell; only the supervision around it is left out. */
function runCommand({ command, stdin }: GateCommand): Promise<ProcessOutcome> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd: directory, stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (data: Buffer) => { stdout += data.toString(); });
    child.stderr?.on('data', (data: Buffer) => { stderr += data.toString(); });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
    child.on('close', (code, signal) => resolve(ended({ ...(code === null ? {} : { exitCode: code }), ...(signal === null ? {} : { signal }), stdout: { text: stdout, dropped: 0 }, stderr: { text: stderr, dropped: 0 } })));
  });
}

function ended(facts: Partial<ProcessOutcome>): ProcessOutcome {
  return { durationMs: 1, stdout: { text: '', dropped: 0 }, stderr: { text: '', dropped: 0 }, leftRunning: [], survivors: [], ...facts };
}

async function ask(gate: GateEvaluation['gate'], value: JsonValue, more: { readonly input?: JsonValue; readonly runCommand?: typeof runCommand } = {}) {
  return evaluateGate({
    gate, value, stepId: 'agent-2', input: more.input ?? null, stepDirectory: directory, runCommand: more.runCommand ?? runCommand,
    warn: (code, text) => warnings.push(`${code} ${text}`),
  });
}

const named = (gate: Extract<GateEvaluation['gate'], { type: 'named' }>['gate']): GateEvaluation['gate'] => ({ type: 'named', gate });
const predicate = (check: (value: never) => unknown, because?: string): GateEvaluation['gate'] => ({ type: 'predicate', check, ...(because === undefined ? {} : { because }) });
const agent = (summary: string, completionReason: 'success' | 'timeout' = 'success'): JsonValue => ({ completionReason, summary, artifacts: [] });
const recorded = (output: string): JsonValue => ({ ok: true, exitCode: 0, output, stdout: output, stderr: '' });

describe('a predicate', () => {
  it('passes with exactly true', async () => {
    expect(await ask(predicate(() => true), 'x')).toEqual({ passed: true });
  });

  it.each<[string, unknown]>([
    ['it returned false', false], ['it returned a number, not true', 1], ['it returned a string, not true', 'yes'], ['it returned an object, not true', {}],
    ['it returned undefined, not true', undefined], ['it returned null, not true', null], ['it returned a promise, and a gate must answer at once', Promise.resolve(true)],
    ['it returned an object, not true', Object(true)],
  ])('fails when %s', async (problem, answer) => {
    const verdict = await ask(predicate(() => answer), 'x');
    expect(verdict.error).toMatchObject({ code: 'gate_failed', completionReason: 'verification_failed', text: `The gate of agent-2 did not pass: ${problem}.` });
  });

  it('does not let the rejection of a returned promise end the process', async () => {
    const verdict = await ask(predicate(() => Promise.reject(new Error('late'))), 'x');
    expect(verdict.error?.text).toContain('it returned a promise');
    await new Promise(setImmediate);
  });

  it('keeps the message of a throw, and the reason of the author', async () => {
    const verdict = await ask(predicate(() => { throw new Error('no title'); }, 'the report needs a title'), 'x');
    expect(verdict.error?.text).toBe('The gate of agent-2 did not pass (the report needs a title): it threw: no title.');
    expect((await ask(predicate(() => { throw Object.create(null); }), 'x')).error?.text).toContain('something that has no text');
    const thrown: unknown = 'words';
    expect((await ask(predicate(() => { throw thrown; }), 'x')).error?.text).toContain('it threw: words');
  });

  it('is called once, with a value it cannot change', async () => {
    const value = { list: [1, 2] };
    let calls = 0;
    await ask(predicate((given: { list: number[] }) => {
      calls += 1;
      given.list.push(3);
      return given.list.length === 3;
    }), value);
    expect([calls, value]).toEqual([1, { list: [1, 2] }]);
  });

  it('sees the value of an agent that was stopped', async () => {
    expect((await ask(predicate((value: { completionReason: string }) => value.completionReason === 'timeout'), agent('evidence', 'timeout'))).passed).toBe(true);
  });
});

describe('the text a named gate looks at', () => {
  it.each<[string, JsonValue, string]>([
    ['a text', 'done', '^done$'],
    ['the summary of an agent', agent('done'), '^done$'],
    ['the output of a recorded command', recorded('done'), '^done$'],
    ['JSON of anything else', { done: true, n: null }, '^\\{"done":true,"n":null\\}$'],
    ['JSON of a number', 12, '^12$'],
    ['JSON of null', null, '^null$'],
  ])('is %s', async (_, value, pattern) => {
    expect((await ask(named({ type: 'regex_match', pattern }), value)).passed).toBe(true);
  });

  it.each<[readonly (string | number)[], string]>([
    [['items', 1, 'title'], '^second$'], [['items', '1', 'title'], '^second$'], [['items', 0], '^\\{"title":"first"\\}$'], [['none'], '^null$'], [[], '^\\{"items"'],
  ])('is selected at %j', async (path, pattern) => {
    const value = { items: [{ title: 'first' }, { title: 'second' }], none: null };
    expect((await ask(named({ type: 'regex_match', pattern, in_output_at: [...path] }), value)).passed).toBe(true);
  });

  it.each<[readonly (string | number)[], string]>([
    [['missing'], 'output.missing'], [['items', 9, 'x'], 'output.items[9]'], [['items', 'length'], 'output.items.length'], [['toString'], 'output.toString'], [['__proto__'], 'output.__proto__'],
    [['text', 0], 'output.text[0]'], [['a b'], 'output["a b"]'],
  ])('is missing at %j, which fails', async (path, shown) => {
    const verdict = await ask(named({ type: 'regex_match', pattern: '', in_output_at: [...path] }), { items: [1], text: 'abc' });
    expect(verdict.error?.text).toBe(`The gate regex_match of agent-2 did not pass: the output has nothing at ${shown}.`);
  });

  it('is not there when an agent was stopped', async () => {
    for (const gate of [named({ type: 'regex_match', pattern: '' }), named({ type: 'word_count_bounds', max: 100 }), named({ type: 'subprocess_gate', command: 'true', from_output: ['summary'] })]) {
      expect((await ask(gate, agent('evidence', 'timeout'))).error?.text).toContain('stopped at its time limit');
    }
    expect((await ask(named({ type: 'subprocess_gate', command: 'true' }), agent('evidence', 'timeout'))).passed).toBe(true);
  });
});

describe('references_input', () => {
  const gate = named({ type: 'references_input', input_key: 'id' });

  it('passes when the output contains the value', async () => {
    expect((await ask(gate, 'see ABC-1.', { input: { id: 'ABC-1' } })).passed).toBe(true);
    expect((await ask(gate, 'number 42', { input: { id: 42 } })).passed).toBe(true);
    expect((await ask(gate, 'list ["a",1]', { input: { id: ['a', 1] } })).passed).toBe(true);
  });

  it('fails when it does not, and when there is nothing to look for', async () => {
    expect((await ask(gate, 'see ABC-2', { input: { id: 'ABC-1' } })).error).toMatchObject({ text: expect.stringContaining('does not contain the input\'s "id"'), evidence: { expected: 'ABC-1', output: 'see ABC-2' } });
    for (const input of [{}, null, 'id', [1], { id: '' }] as JsonValue[]) expect((await ask(gate, 'anything id', { input })).error?.text).toContain('nothing to look for');
  });
});

describe('word_count_bounds', () => {
  it.each<[string, number | undefined, number | undefined, boolean]>([
    ['', 0, undefined, true], ['', 1, undefined, false], [' \n ', undefined, 0, true], ['one  two\nthree\u00a0four', 4, 4, true], ['one two', 3, undefined, false], ['one two', undefined, 1, false],
  ])('%j within %s and %s: %s', async (text, min, max, passed) => {
    const verdict = await ask(named({ type: 'word_count_bounds', ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }), text);
    expect(verdict.passed).toBe(passed);
  });
});

describe('regex_match', () => {
  it('knows its flags', async () => {
    expect((await ask(named({ type: 'regex_match', pattern: '^OK$' }), 'a\nok\nb')).passed).toBe(false);
    expect((await ask(named({ type: 'regex_match', pattern: '^OK$', flags: 'im' }), 'a\nok\nb')).passed).toBe(true);
    expect((await ask(named({ type: 'regex_match', pattern: 'a.b' }), 'a\nb')).passed).toBe(false);
    expect((await ask(named({ type: 'regex_match', pattern: 'a.b', flags: 's' }), 'a\nb')).passed).toBe(true);
  });

  it('takes linear time where a backtracking engine would not end', async () => {
    expect((await ask(named({ type: 'regex_match', pattern: '^(a+)+$' }), `${'a'.repeat(100_000)}b`)).passed).toBe(false);
  });
});

describe('artifact_exists', () => {
  const gate = (path: string) => named({ type: 'artifact_exists', path });

  it('passes for a regular file under the directory, also through a link that stays inside', async () => {
    await mkdir(join(directory, 'dist'));
    await writeFile(join(directory, 'dist/report.md'), '');
    await symlink('dist/report.md', join(directory, 'latest.md'));
    for (const path of ['dist/report.md', './dist//report.md', 'latest.md', join(directory, 'dist/report.md')]) expect((await ask(gate(path), 'x')).passed, path).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('fails for everything else, and says what is there', async () => {
    await mkdir(join(directory, 'dist'));
    await symlink('/etc/passwd', join(directory, 'leak'));
    await symlink(tmpdir(), join(directory, 'out'));
    await symlink('loop', join(directory, 'loop'));
    await symlink('nowhere', join(directory, 'dangling'));
    const expected = { missing: 'does not exist', dist: 'is a directory', leak: "lies outside the step's directory", out: "lies outside the step's directory", loop: 'cannot be read (ELOOP)', dangling: 'does not exist', '/etc/passwd': "lies outside the step's directory", '..': "lies outside the step's directory", 'dist/x/y': 'does not exist' };
    for (const [path, problem] of Object.entries(expected)) {
      const verdict = await ask(gate(path), 'x');
      expect(verdict.error?.text).toBe(`The gate artifact_exists of agent-2 did not pass: ${path} ${problem}.`);
      expect(verdict.error?.evidence).toMatchObject({ path, cwd: directory });
    }
  });

  it('warns about directories in which artifacts are not looked for', async () => {
    await mkdir(join(directory, 'node_modules/a'), { recursive: true });
    await writeFile(join(directory, 'node_modules/a/index.js'), '');
    expect((await ask(gate('node_modules/a/index.js'), 'x')).passed).toBe(true);
    expect(warnings).toEqual(['gate_path_unscanned The gate of agent-2 looks for node_modules/a/index.js, and artifacts are not looked for in node_modules.']);
  });
});

describe('subprocess_gate', () => {
  it('passes when the command exits 0, in the step\'s directory', async () => {
    await writeFile(join(directory, 'here'), '');
    expect(await ask(named({ type: 'subprocess_gate', command: 'test -f here' }), 'x')).toEqual({ passed: true });
  });

  it('gives the selected value to the command on standard input', async () => {
    const value = { report: { title: "it's $HOME `x`\n" }, list: [1, 2] };
    expect((await ask(named({ type: 'subprocess_gate', command: 'test "$(cat)" = "it\'s \\$HOME \\`x\\`"', from_output: ['report', 'title'] }), value)).passed).toBe(true);
    expect((await ask(named({ type: 'subprocess_gate', command: 'test "$(cat)" = "[1,2]"', from_output: ['list'] }), value)).passed).toBe(true);
    expect((await ask(named({ type: 'subprocess_gate', command: 'test "$(cat)" = done', from_output: [] }), agent('done'))).passed).toBe(true);
    expect((await ask(named({ type: 'subprocess_gate', command: 'test -z "$(cat)"' }), 'nothing is passed')).passed).toBe(true);
  });

  it('reports command, status and output when it fails', async () => {
    const verdict = await ask(named({ type: 'subprocess_gate', command: 'echo seen; echo wrong >&2; exit 3' }), 'x');
    expect(verdict.error).toEqual({
      code: 'gate_failed',
      text: 'The gate subprocess_gate of agent-2 did not pass: the command ended with exit status 3.',
      hint: expect.any(String),
      completionReason: 'verification_failed',
      evidence: { gate: 'subprocess_gate', command: 'echo seen; echo wrong >&2; exit 3', cwd: directory, exitCode: 3, stdoutTail: 'seen\n', stderrTail: 'wrong\n' },
    });
  });

  it('reports the end of long output', async () => {
    const verdict = await ask(named({ type: 'subprocess_gate', command: 'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done; false' }), 'x');
    const evidence = verdict.error?.evidence as { stdoutTail: string } | undefined;
    expect(evidence?.stdoutTail).toHaveLength(4_000);
    expect(evidence?.stdoutTail).toMatch(/line 1999\n$/);
  });

  it('reports the command also when it could not start, was stopped or was killed', async () => {
    const cases: readonly [Partial<ProcessOutcome>, string, object][] = [
      [{ spawnError: { code: 'EACCES', message: 'permission denied', transient: false } }, 'the command could not be started: permission denied', { spawnError: 'EACCES' }],
      [{ stopped: 'timeout', signal: 'SIGKILL' }, 'the command was stopped at its time limit', { signal: 'SIGKILL' }],
      [{ stopped: 'timeout', exitCode: 0 }, 'the command was stopped at its time limit', { exitCode: 0 }],
      [{ stopped: 'canceled', signal: 'SIGTERM' }, 'the command was stopped (canceled)', {}],
      [{ signal: 'SIGSEGV' }, 'the command was ended by SIGSEGV', { signal: 'SIGSEGV' }],
    ];
    for (const [facts, problem, evidence] of cases) {
      const verdict = await ask(named({ type: 'subprocess_gate', command: './check' }), 'x', { runCommand: () => Promise.resolve(ended(facts)) });
      expect(verdict.error?.text).toBe(`The gate subprocess_gate of agent-2 did not pass: ${problem}.`);
      expect(verdict.error?.evidence).toMatchObject({ command: './check', cwd: directory, ...evidence });
    }
  });

  it('does not start a command whose value is missing', async () => {
    const verdict = await ask(named({ type: 'subprocess_gate', command: 'true', from_output: ['gone'] }), {}, { runCommand: () => { throw new Error('was started'); } });
    expect(verdict.error?.text).toContain('the output has nothing at output.gone, so the command was not started');
    expect(verdict.error?.evidence).toMatchObject({ command: 'true' });
  });
});
