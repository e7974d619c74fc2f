import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { generate, type DraftInput } from '@relayflows/generator';
import { needs } from 'test-tools';
import { describe, expect, test } from 'vitest';
import { call, document } from '../in-process.js';
import { onTerminal, plain } from '../terminal/pty.js';
import { Workplace, type Started } from '../workplace.js';

const DRAFT = { version: 1, sources: [{ kind: 'github', repository: 'acme/app', labels: ['bug'] }], agents: ['claude', 'codex'], workflow: 'simple' } as const satisfies DraftInput;

async function withDraft(draft: unknown = DRAFT): Promise<Workplace> {
  const place = await Workplace.create();
  await place.write('draft.json', JSON.stringify(draft));
  return place;
}

const read = (place: Workplace, name: string): Promise<string> => readFile(join(place.folder, name), 'utf8');

describe('from a draft', () => {
  test('the flow is the generator\'s, and the command says how to go on', async () => {
    const place = await withDraft();
    const { status, stdout, stderr } = await call(place.folder, ['generate', 'draft.json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.replace(/\d+\.\d kB/, '<n> kB')).toMatchSnapshot();
    expect(await read(place, 'software-garden.flow.ts')).toBe(generate(DRAFT));
  });

  test('which a run could take', async () => {
    const place = await withDraft();
    await call(place.folder, ['generate', 'draft.json', '--target', 'local', '--output', 'flows/garden.flow.mts']);
    expect(await document(place.folder, ['check', 'flows/garden.flow.mts'])).toMatchObject({ exit: 0, status: 'passed', flowName: 'software-garden', diagnostics: [] });
  });

  test('- prints it, and flags win over what it says', async () => {
    const place = await withDraft();
    const { status, stdout } = await call(place.folder, ['generate', 'draft.json', '--output', '-', '--target', 'local', '--agents', 'opencode']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: generate({ ...DRAFT, target: 'local', agents: ['opencode'] }) });
    expect(await place.files()).toEqual(['draft.json']);
  });

  test('--json tells what was written', async () => {
    const place = await withDraft();
    const source = generate(DRAFT);
    expect(await document(place.folder, ['generate', 'draft.json'])).toMatchObject({ exit: 0, v: 1, ok: true, command: 'generate', draft: DRAFT, files: [{ path: join(place.folder, 'software-garden.flow.ts'), bytes: Buffer.byteLength(source), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }] });
    expect(await document(place.folder, ['generate', 'draft.json', '--output', '-'])).toMatchObject({ exit: 0, files: [], source });
  });

  test('a problem a line, with its path, and nothing is written', async () => {
    const place = await withDraft({ ...DRAFT, sources: [{ kind: 'github', repository: 'acme' }], agents: [], more: 1 });
    const { status, stderr } = await call(place.folder, ['generate', 'draft.json', '--save-draft', 'saved.json']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^REFUSED \[draft_invalid\] The draft cannot be used:\n {2}sources\[0\]\.repository: [^\n]+\n {2}agents: [^\n]+\n {2}draft: [^\n]*more[^\n]*\n {2}Correct what is named/);
    expect(await document(place.folder, ['generate', 'draft.json'])).toMatchObject({ exit: 2, status: 'refused', diagnostics: [{ code: 'draft_invalid', problems: [{ path: 'sources[0].repository' }, { path: 'agents' }, { path: '' }] }] });
    expect(await place.files()).toEqual(['draft.json']);
  });

  test.each([
    ['no file', 'absent.json', undefined, 'input_unreadable'],
    ['a folder', '.', undefined, 'input_unreadable'],
    ['a file below a file', 'draft.json/more.json', undefined, 'input_unreadable'],
    ['no JSON', 'draft.json', '{ "version": 1,', 'input_invalid'],
    ['no object', 'draft.json', '7', 'draft_invalid'],
  ])('%s is refused', async (_, name, text, code) => {
    const place = await Workplace.create();
    await place.write('draft.json', text ?? '{}');
    expect(await document(place.folder, ['generate', name])).toMatchObject({ exit: 2, diagnostics: [{ code }] });
  });
});

describe('from flags', () => {
  test('every answer is one', async () => {
    const place = await Workplace.create();
    const flags = ['--workflow', 'prototype', '--agents', 'claude, codex', '--sources', 'github:repository=acme/app:labels=bug+needs%20work,slack:channel=#dev:mentioned', '--roles', 'comparator=gemini/pro,fixer=/opus', '--task', 'Be brief.', '--target', 'local', '--save-draft', 'kept.json'];
    expect(await call(place.folder, ['generate', ...flags])).toMatchObject({ status: 0 });
    const draft = {
      version: 1, workflow: 'prototype', agents: ['claude', 'codex'], target: 'local', task: 'Be brief.',
      sources: [{ kind: 'github', repository: 'acme/app', labels: ['bug', 'needs work'] }, { kind: 'slack', channel: '#dev', mentioned: true }],
      roles: { 'prototype:comparator': { agent: 'gemini', model: 'pro' }, 'prototype:fixer': { model: 'opus' } },
    };
    expect(JSON.parse(await read(place, 'kept.json'))).toEqual(draft);
    expect(await call(place.folder, ['generate', 'kept.json', '--output', '-'])).toMatchObject({ status: 0, stdout: await read(place, 'software-garden.flow.ts') });
  });

  test.each([
    [[], '`flows generate` needs a draft'],
    [['--workflow', 'simple'], '`flows generate` needs a draft'],
    [['--agents', 'claude', '--kit', 'a', '--output', 'b.flow.ts'], '`--kit` and `--output` exclude each other.'],
    [['--agents', 'claude', '--kit', 'a', '--target', 'cloud'], 'A kit runs here'],
    [['--agents', 'claude', '--output', 'b.txt'], 'the file of a flow ends in .flow.ts'],
    [['--agents', 'claude', '--sources', ':labels=x'], '`--sources` cannot be read'],
    [['--agents', 'claude', '--roles', 'planner'], '`--roles` cannot be read'],
  ])('%j is refused', async (flags, says) => {
    const place = await Workplace.create();
    const { status, stderr } = await call(place.folder, ['generate', ...flags]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(says) as string });
    expect(stderr).toContain('[invalid_invocation]');
    expect(await place.files()).toEqual([]);
  });

  test.each([['--agents', 'cluade', 'agents[0]'], ['--sources', 'githubb', 'sources[0].kind'], ['--sources', 'github:team=x', 'sources[0]'], ['--roles', 'dancer=claude', 'roles']])('%s %s is a mistake of the draft', async (flag, value, path) => {
    const place = await Workplace.create();
    const flags = flag === '--agents' ? [flag, value] : ['--agents', 'claude', flag, value];
    const { status, stderr } = await call(place.folder, ['generate', ...flags]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(new RegExp(`^REFUSED \\[draft_invalid\\] The draft cannot be used\\. ${path.replace(/[[\]]/g, '\\$&')}`)) as string });
  });
});

describe('a kit', () => {
  const NAMES = ['START-HERE.txt', 'flow-input.json', 'relay-preflight.mjs', 'software-factory.flow.mts'];

  test('is a folder, of which the command says how it moves on', async () => {
    const place = await Workplace.create();
    const { status, stdout } = await call(place.folder, ['generate', '--agents', 'claude', '--kit', 'new/garden']);
    expect(status).toBe(0);
    expect((await readdir(join(place.folder, 'new/garden'))).sort()).toEqual(NAMES);
    expect(stdout).toContain('node new/garden/relay-preflight.mjs --install path/to/your/repository');
    expect(await document(place.folder, ['check', 'new/garden/software-factory.flow.mts'])).toMatchObject({ exit: 0 });
  });

  test.each(["new garden's", '-kit'])('in %s is named so that a shell reads it', async (folder) => {
    const place = await Workplace.create();
    const { stdout } = await call(place.folder, ['generate', '--agents', 'claude', `--kit=${folder}`]);
    const [, command = ''] = /^ {2}(node .*) --install path/m.exec(stdout) ?? [];
    expect(spawnSync('sh', ['-c', command], { cwd: place.folder, encoding: 'utf8' }).stdout).toContain('ok the kit is complete');
  });

  test('refuses its own placeholder before it does anything', async () => {
    const place = await Workplace.create();
    await call(place.folder, ['generate', '--agents', 'claude', '--kit', '.']);
    const { exit, completionReason, completionDetail, completedSteps } = await place.document(['run', 'software-factory.flow.mts', '--input', 'flow-input.json']);
    expect({ exit, completionReason, completionDetail, completedSteps }).toEqual({ exit: 3, completionReason: 'needs_human', completionDetail: '"Replace with your ticket title" is a placeholder, not a ticket.', completedSteps: 0 });
  });

  test.each(NAMES)('is not written where there is a %s', async (name) => {
    const place = await Workplace.create();
    await mkdir(join(place.folder, 'garden'));
    await place.write(`garden/${name}`, 'mine');
    expect(await document(place.folder, ['generate', '--agents', 'claude', '--kit', 'garden', '--save-draft', 'kept.json'])).toMatchObject({ exit: 2, diagnostics: [{ code: 'file_exists', message: expect.stringContaining(name) as string }] });
    expect(await readdir(join(place.folder, 'garden'))).toEqual([name]);
    expect(await read(place, `garden/${name}`)).toBe('mine');
    expect(existsSync(join(place.folder, 'kept.json'))).toBe(false);
  });
});

test('an existing flow is never overwritten', async () => {
  const place = await withDraft();
  await place.write('software-garden.flow.ts', 'mine');
  const before = await stat(join(place.folder, 'software-garden.flow.ts'));
  expect(await document(place.folder, ['generate', 'draft.json'])).toMatchObject({ exit: 2, diagnostics: [{ code: 'file_exists' }] });
  expect((await stat(join(place.folder, 'software-garden.flow.ts'))).mtimeMs).toBe(before.mtimeMs);
  // Where one of several files cannot be written, none is.
  expect(await document(place.folder, ['generate', 'draft.json', '--output', 'other.flow.ts', '--save-draft', 'draft.json/kept.json'])).toMatchObject({ exit: 2, diagnostics: [{ code: 'file_unwritable' }] });
  expect((await place.files()).sort()).toEqual(['draft.json', 'software-garden.flow.ts']);
});

test('no other command loads the generator or the questions', async () => {
  const place = await Workplace.create({ quick: `f.done('success');` });
  const watch = `export async function resolve(specifier, context, next) { const found = await next(specifier, context); if (/ts-morph|@clack|packages.generator/.test(found.url)) throw new Error('loads ' + found.url); return found; }`;
  const loaded = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(watch)}`)});`;
  const node = ['--import', `data:text/javascript,${encodeURIComponent(loaded)}`];
  expect(await place.flows(['run', 'quick.flow.ts', '--input', '{}'], { node })).toMatchObject({ status: 0 });
  expect(await place.flows(['generate', '--agents', 'claude'], { node })).toMatchObject({ status: 1, stderr: expect.stringContaining('loads ') as string });
});

const onTty = needs('script', 'stty');

/** Answers one question after the other. */
async function answer(run: Started, answers: readonly (readonly [question: RegExp, keys: string])[]): Promise<void> {
  for (const [question, keys] of answers) {
    await run.printed(question);
    run.child.stdin?.write(keys);
  }
}

const DOWN = '\u001B[B';

onTty('a terminal is asked, and the answers are what flags would have said', async () => {
  const place = await Workplace.create();
  const run = onTerminal(place, 'generate', { columns: 110, rows: 50 });
  await answer(run, [
    [/How shall it work\?/, '\r'],
    [/Who builds\?/, '\r'],
    [/Who reviews\?/, '\r'],
    [/Where do tickets come from\?/, '\r'],
    [/github: which repository\?/, 'acme/app\r'],
    [/github: which labels\?/, 'bug, ready\r'],
    [/Which roles get/, '\r'],
    [/What shall every builder know/, 'Be brief.\r'],
    [/What shall be written\?/, `${DOWN}\r`],
    [/Into which file\?/, '\r'],
    [/Who decides which tickets/, '\r'],
  ]);
  const text = plain((await run.ended).stdout);
  expect(text).toContain('--workflow traditional --agents claude,codex --sources github:repository=acme/app:labels=bug+ready --target local');
  expect(text).toMatch(/status=0/);
  expect(await read(place, 'software-garden.flow.ts')).toBe(generate({ version: 1, workflow: 'traditional', agents: ['claude', 'codex'], sources: [{ kind: 'github', repository: 'acme/app', labels: ['bug', 'ready'] }], task: 'Be brief.', target: 'local' }));
});

onTty('what flags have answered is not asked, and whoever leaves has written nothing', async () => {
  const place = await Workplace.create();
  const run = onTerminal(place, 'generate --workflow simple --agents claude --sources github --roles implementer=codex --kit garden', { columns: 110 });
  await answer(run, [[/What shall every builder know/, '\u0003']]);
  const text = plain((await run.ended).stdout);
  expect(text).not.toMatch(/How shall it work|Who builds|Where do tickets|What shall be written/);
  expect(text).toMatch(/Nothing was written\.[\s\S]*status=130 .*icanon/);
  expect(await place.files()).toEqual([]);
});
