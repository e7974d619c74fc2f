import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { digest, NOTHING, pairOf, type Pair } from '../../../src/workflow/store/files.js';
import { listStored, readStored, recoverStored, removeStored, replaceStored } from '../../../src/workflow/store/store.js';
import { readTransaction, recoverySteps, replaceSteps, rollbackSteps, type Step } from '../../../src/workflow/store/transaction.js';
import { withoutRoot } from '../../without-root.js';
import { fixture } from '../workflows.js';

const OLD = fixture('minimal.yaml');
const NEW = `${OLD}# A new version.\r\n`;
const NAME = 'minimal';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay workflows '));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string): string => join(folder, name);
const put = (name: string, content: string): void => writeFileSync(file(name), content);
const text = (name: string): string => readFileSync(file(name), 'utf8');

describe('storing', () => {
  test('keeps the exact bytes and their hash, with the right modes and nothing else', () => {
    const bytes = Buffer.from(`\u{FEFF}${NEW}`);
    replaceStored(folder, { name: NAME, yaml: bytes });
    expect(readdirSync(folder).toSorted()).toEqual(['minimal.sha256', 'minimal.yaml']);
    expect(readFileSync(file('minimal.yaml'))).toEqual(bytes);
    expect(text('minimal.sha256')).toBe(`${digest(bytes)}\n`);
    expect(statSync(file('minimal.yaml')).mode & 0o700).toBe(0o600);
    expect(readStored(folder, NAME)).toMatchObject({ name: NAME, file: file('minimal.yaml'), health: 'healthy', reason: null, repair: null, sha256: digest(bytes), declared: { name: NAME, repos: ['shop'] } });
  });

  test('the journal is for the owner alone', () => {
    let mode = 0;
    replaceStored(folder, { name: NAME, yaml: OLD }, { onStep: ({ kind }) => {
      if (kind === 'yaml') mode = statSync(file('minimal.txn')).mode & 0o777;
    } });
    expect(mode).toBe(0o600);
  });

  test('a new version replaces the old one, and can be taken back', () => {
    replaceStored(folder, { name: NAME, yaml: OLD });
    const change = replaceStored(folder, { name: NAME, yaml: NEW });
    expect(readStored(folder, NAME)).toMatchObject({ health: 'healthy', yaml: NEW });
    change.undo();
    change.undo();
    expect(readStored(folder, NAME)).toMatchObject({ health: 'healthy', yaml: OLD });
  });

  test('a first version that is taken back leaves nothing', () => {
    replaceStored(folder, { name: NAME, yaml: OLD }).undo();
    expect(readdirSync(folder)).toEqual([]);
    expect(readStored(folder, NAME)).toBeUndefined();
  });

  test('a removal that is taken back brings it again', () => {
    replaceStored(folder, { name: NAME, yaml: OLD });
    const change = removeStored(folder, NAME);
    expect(readdirSync(folder)).toEqual([]);
    change.undo();
    expect(readStored(folder, NAME)).toMatchObject({ health: 'healthy', yaml: OLD });
  });

  test('submitting again repairs what was edited', () => {
    replaceStored(folder, { name: NAME, yaml: OLD });
    put('minimal.yaml', NEW);
    expect(readStored(folder, NAME)?.health).toBe('outdated');
    replaceStored(folder, { name: NAME, yaml: NEW });
    expect(readStored(folder, NAME)?.health).toBe('healthy');
  });

  test.each(['', 'Minimal', '../up', 'a/b', 'a.b', 'a'.repeat(101)])('the name %j is refused', (name) => {
    expect(() => replaceStored(folder, { name, yaml: OLD })).toThrow(expect.objectContaining({ code: 'workflow_invalid' }));
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a name that differs in capitals only is refused', () => {
    replaceStored(folder, { name: 'deploy', yaml: OLD });
    expect(() => replaceStored(folder, { name: 'dePloy', yaml: OLD })).toThrow('only in capital letters');
  });

  test.each(['minimal', '../../etc/passwd', 'a/b', '', '..'])('removing %j, which is not there', (name) => {
    expect(() => removeStored(folder, name)).toThrow(expect.objectContaining({ code: 'workflow_unknown', kind: 'missing' }));
  });

  test('a folder that cannot be written is said so, and nothing has changed', async () => {
    replaceStored(folder, { name: NAME, yaml: OLD });
    await withoutRoot(folder, () => {
      chmodSync(folder, 0o500);
      expect(() => replaceStored(folder, { name: NAME, yaml: NEW })).toThrow(expect.objectContaining({ code: 'home_unusable' }));
      chmodSync(folder, 0o700);
    });
    expect(readStored(folder, NAME)).toMatchObject({ health: 'healthy', yaml: OLD });
  });

  test('a write that fails in the middle is taken back', () => {
    replaceStored(folder, { name: NAME, yaml: OLD });
    const fails = ({ kind }: Step): void => {
      if (kind === 'sha256') throw new Error('disk full');
    };
    expect(() => replaceStored(folder, { name: NAME, yaml: NEW }, { onStep: fails })).toThrow('disk full');
    expect(readdirSync(folder).toSorted()).toEqual(['minimal.sha256', 'minimal.yaml']);
    expect(readStored(folder, NAME)).toMatchObject({ health: 'healthy', yaml: OLD });
  });

  test('a folder that is not there is empty', () => {
    expect(listStored(file('none'))).toEqual([]);
    expect(recoverStored(file('none'))).toEqual([]);
    expect(readStored(file('none'), NAME)).toBeUndefined();
  });
});

describe('health', () => {
  test.each<readonly [string, () => void, Record<string, unknown>]>([
    ['edited on disk', () => put('minimal.yaml', NEW), { health: 'outdated', reason: expect.stringContaining('was changed after it was submitted.'), repair: expect.stringMatching(/^relay-flow workflow submit --file '.*minimal\.yaml'$/), declared: { name: NAME } }],
    ['edited into nonsense', () => put('minimal.yaml', 'name: ['), { health: 'outdated', reason: expect.stringContaining('mistake'), declared: null }],
    ['a hash that is no hash', () => put('minimal.sha256', 'hello'), { health: 'outdated' }],
    ['without hash', () => rmSync(file('minimal.sha256')), { health: 'unverified', reason: expect.stringContaining('has no hash'), repair: expect.stringContaining('workflow submit --file') }],
    ['without YAML', () => rmSync(file('minimal.yaml')), { health: 'blocked', reason: expect.stringContaining('is missing'), repair: 'relay-flow workflow remove --name minimal', yaml: null }],
    ['malformed from the beginning', () => replaceStored(folder, { name: NAME, yaml: 'name: [' }), { health: 'blocked', reason: expect.stringContaining('minimal.yaml:1:'), declared: null }],
    ['not UTF-8', () => replaceStored(folder, { name: NAME, yaml: Uint8Array.of(0xff, 0xfe) }), { health: 'blocked', reason: expect.stringContaining('UTF-8') }],
    ['another name inside', () => replaceStored(folder, { name: NAME, yaml: fixture('anchors.yaml') }), { health: 'blocked', reason: expect.stringContaining('declares the workflow anchors, not minimal.') }],
    ['a folder in its place', () => {
      rmSync(file('minimal.yaml'));
      mkdirSync(file('minimal.yaml'));
    }, { health: 'blocked', reason: expect.stringContaining('is no file.') }],
    ['a journal that is none', () => put('minimal.txn', '{"version": 2}'), { health: 'blocked', reason: expect.stringContaining('minimal.txn is not the journal') }],
    ['a hash without newline, in spaces', () => put('minimal.sha256', ` ${digest(Buffer.from(OLD))}`), { health: 'healthy' }],
  ])('%s', (_name, spoil, expected) => {
    replaceStored(folder, { name: NAME, yaml: OLD });
    replaceStored(folder, { name: 'selfLoop', yaml: fixture('self-loop.yaml') });
    spoil();
    const all = listStored(folder);
    expect(all[0]).toMatchObject({ name: NAME, ...expected });
    // Nothing that is wrong with one workflow reaches another.
    expect(all.slice(1)).toMatchObject([{ name: 'selfLoop', health: 'healthy' }]);
    if (all[0]?.health !== 'healthy') expect(all[0]?.reason).toMatch(/[.]$/);
  });

  test('files of other kinds are none of ours; a name that no workflow can have is blocked', () => {
    for (const name of ['README.md', 'notes.yml', '.yaml', 'yaml', 'old.yaml.bak', 'minimal.yaml.12.abcd1234.new']) put(name, OLD);
    put('My Flow.yaml', OLD);
    expect(listStored(folder).map(({ name, health, reason }) => [name, health, reason?.split('.')[0]])).toEqual([['My Flow', 'blocked', 'No workflow can be called "My Flow"']]);
    removeStored(folder, 'My Flow');
    expect(listStored(folder)).toEqual([]);
  });

  test('a journal that is none can be submitted over, or removed', () => {
    put('minimal.txn', 'x');
    replaceStored(folder, { name: NAME, yaml: OLD });
    expect(readStored(folder, NAME)?.health).toBe('healthy');
    put('minimal.txn', 'x');
    removeStored(folder, NAME);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('every state a crash can leave', () => {
  const old: Pair = pairOf(Buffer.from(OLD));
  const pairs: Record<string, Pair> = { nothing: NOTHING, old, new: pairOf(Buffer.from(NEW)), unverified: { yaml: old.yaml, sha256: undefined } };
  const kinds = { yaml: (pair: Pair) => pair.yaml, sha256: (pair: Pair) => pair.sha256 } as const;
  const write = (kind: 'yaml' | 'sha256', pair: Pair): void => {
    const content = kinds[kind](pair);
    if (content === undefined) rmSync(file(`minimal.${kind}`), { force: true });
    else writeFileSync(file(`minimal.${kind}`), content);
  };
  const expectPair = (pair: Pair): void => {
    for (const kind of ['yaml', 'sha256'] as const) {
      const content = kinds[kind](pair);
      expect(existsSync(file(`minimal.${kind}`)) ? readFileSync(file(`minimal.${kind}`)) : undefined).toEqual(content === undefined ? undefined : Buffer.from(content));
    }
    expect(readdirSync(folder).filter((name) => !/\.(yaml|sha256)$/.test(name))).toEqual([]);
  };
  const names = Object.keys(pairs);
  const combinations = names.flatMap((from) => names.filter((to) => to !== from).flatMap((to) => names.flatMap((yaml) => names.map((sha256) => [from, to, yaml, sha256] as const))))
    .filter(([from, to, yaml, sha256]) => [from, to].includes(yaml) && [from, to].includes(sha256));

  test.each(combinations)('from %s to %s, with the YAML of %s and the hash of %s', (from, to, yaml, sha256) => {
    const [before, next] = [pairs[from] ?? NOTHING, pairs[to] ?? NOTHING];
    const journal = replaceSteps({ old: before, next })[0]?.content;
    writeFileSync(file('minimal.txn'), journal ?? '');
    write('yaml', pairs[yaml] ?? NOTHING);
    write('sha256', pairs[sha256] ?? NOTHING);
    writeFileSync(file('minimal.sha256.12.0a1b2c3d.new'), 'half');
    const complete = [yaml, sha256].every((part) => part === to) || (kinds.yaml(pairs[yaml] ?? NOTHING) === next.yaml && kinds.sha256(pairs[sha256] ?? NOTHING) === next.sha256);
    const seen = readStored(folder, NAME);
    expect(recoverStored(folder)).toEqual([NAME]);
    expectPair(complete ? next : before);
    // Whoever looked before saw the same.
    expect(seen).toEqual(readStored(folder, NAME));
    expect(recoverStored(folder)).toEqual([]);
  });

  test('what a person wrote meanwhile is left alone', () => {
    put('minimal.txn', String(replaceSteps({ old: pairs['old'] ?? NOTHING, next: pairs['new'] ?? NOTHING })[0]?.content));
    put('minimal.yaml', `${OLD}# by hand`);
    put('minimal.sha256', String(pairs['old']?.sha256));
    recoverStored(folder);
    expect(text('minimal.yaml')).toBe(`${OLD}# by hand`);
    expect(readStored(folder, NAME)?.health).toBe('outdated');
    expect(existsSync(file('minimal.txn'))).toBe(false);
  });

  test('one that cannot be put right keeps no other from it', () => {
    for (const name of ['anchors', NAME]) writeFileSync(file(`${name}.txn`), String(replaceSteps({ old: NOTHING, next: pairOf(Buffer.from(fixture(`${name}.yaml`))) })[0]?.content));
    put('anchors.yaml', fixture('anchors.yaml'));
    put('minimal.yaml', OLD);
    let times = 0;
    const failsOnce = (): void => {
      times += 1;
      if (times === 1) throw new Error('disk full');
    };
    expect(recoverStored(folder, { onStep: failsOnce })).toEqual([NAME]);
    expect(listStored(folder)).toEqual([]);
    expect(recoverStored(folder)).toEqual(['anchors']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(names.flatMap((from) => names.map((to) => [from, to] as const)))('the plan from %s to %s: journal first and last, and readable', (from, to) => {
    const transaction = { old: pairs[from] ?? NOTHING, next: pairs[to] ?? NOTHING };
    const steps = replaceSteps(transaction);
    expect(steps.map(({ kind }) => kind)).toEqual(['txn', 'yaml', 'sha256', 'txn']);
    expect(steps.at(-1)?.content).toBeUndefined();
    const read = readTransaction(String(steps[0]?.content));
    expect(read === undefined ? undefined : replaceSteps(read)).toEqual(steps.map((step) => (step.content instanceof Uint8Array ? { ...step, content: Uint8Array.from(step.content) } : step)));
    expect(recoverySteps(transaction.next, transaction)).toEqual([{ kind: 'txn', content: undefined }]);
    expect(recoverySteps(transaction.old, transaction)).toEqual([{ kind: 'txn', content: undefined }]);
    expect(rollbackSteps(transaction).at(-1)).toEqual({ kind: 'txn', content: undefined });
  });

  test.each(['', '{', 'null', '{"version":2,"old":{"yaml":null,"sha256":null},"new":{"yaml":null,"sha256":null}}', '{"version":1,"old":{"yaml":"%%","sha256":null},"new":{"yaml":null,"sha256":null}}', '{"version":1,"old":{"yaml":null,"sha256":null}}'])('%j is no journal', (broken) => {
    expect(readTransaction(broken)).toBeUndefined();
  });
});

describe('a process that is killed', () => {
  const child = (...args: readonly string[]) => spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), fileURLToPath(new URL('killable.ts', import.meta.url)), ...args], { encoding: 'utf8' });

  test.each([0, 1, 2, 3])('while it replaces a workflow, before step %i', (before) => {
    replaceStored(folder, { name: NAME, yaml: OLD });
    expect(child('replace', folder, NAME, NEW, String(before)).signal).toBe('SIGKILL');
    // Another kill, in the midst of putting it right.
    const restarted = child('recover', folder, '', '', '0');
    expect([restarted.signal, restarted.status]).toEqual(before === 0 ? [null, 0] : ['SIGKILL', null]);
    recoverStored(folder);
    expect(readStored(folder, NAME)).toMatchObject({ health: 'healthy', yaml: before === 3 ? NEW : OLD });
    expect(readdirSync(folder).toSorted()).toEqual(['minimal.sha256', 'minimal.yaml']);
  });

  test.each([0, 1, 2, 3])('while it removes one, before step %i', (before) => {
    replaceStored(folder, { name: NAME, yaml: OLD });
    expect(child('remove', folder, NAME, '', String(before)).signal).toBe('SIGKILL');
    recoverStored(folder);
    expect(readdirSync(folder).toSorted()).toEqual(before === 3 ? [] : ['minimal.sha256', 'minimal.yaml']);
  });

  test('nothing kills it after the last step', () => {
    expect(child('replace', folder, NAME, NEW, '4')).toMatchObject({ status: 0, stderr: '' });
    expect(readStored(folder, NAME)).toMatchObject({ health: 'healthy', yaml: NEW });
  });
});
