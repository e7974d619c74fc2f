import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { loadSealed, sealFlow } from '@relayflows/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENTS, generate, WORKFLOWS, type DraftInput } from '../../src/index.js';
import { literal } from '../../src/emit/literal.js';

const NASTY = 'It\'s "quoted", `ticked`, ${x}, \\n and \\, 日本語 \u2028 end';
const TARGETS = ['cloud', 'local'] as const;
const KINDS = WORKFLOWS.flatMap((workflow) => TARGETS.map((target) => ({ workflow, target })));

function draftOf(more: Partial<DraftInput>): DraftInput {
  return { version: 1, sources: [{ kind: 'github', repository: 'acme/tool', labels: ["it's"] }, { kind: 'gitlab' }, { kind: 'markdown' }], agents: ['claude', 'codex'], workflow: 'traditional', ...more };
}

describe.each(KINDS)('a flow of workflow $workflow for target $target', (kind) => {
  const source = generate(draftOf(kind));

  test('is the same each time', () => {
    expect(generate(draftOf(kind))).toBe(source);
  });

  test('imports nothing but the surface', () => {
    expect(source.match(/^import .*$/gm)).toEqual([expect.stringMatching(/^import \{ flow, .*\} from '@relayflows\/surface';$/)]);
  });

  test('has no line that is too long, and no blank at the end of one', () => {
    expect(source.split('\n').filter((line) => Array.from(line).length > 120 || /\s$/.test(line))).toEqual([]);
  });

  test('has each function once', () => {
    for (const declares of [/^(?:async )?function\*? (\w+)/gm, /^([a-z_]\w*)\(\) \{$/gm]) {
      const names = [...source.matchAll(declares)].map(([, name]) => name);
      expect(names.length).toBeGreaterThan(10);
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    }
  });

  test('reads from the whole to the parts', () => {
    const order = ['const PLAYERS', 'export default flow', 'function begin', 'function ticketText', 'const SHELL_LIBRARY'].map((text) => source.indexOf(text));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(Math.min(...order)).toBeGreaterThan(0);
  });

  test('explains why it leaves a ticket alone only where nobody else chooses tickets', () => {
    expect(source.includes('matchesIssue(')).toBe(kind.target === 'local');
  });
});

describe('together', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'relayflows-generated-'));
    mkdirSync(join(folder, 'node_modules/@relayflows'), { recursive: true });
    symlinkSync(fileURLToPath(new URL('../../../surface', import.meta.url)), join(folder, 'node_modules/@relayflows/surface'));
    for (const [at, kind] of KINDS.entries()) {
      writeFileSync(join(folder, `${kind.workflow}-${kind.target}.flow.ts`), generate(draftOf({ ...kind, agents: AGENTS.slice(at % AGENTS.length), task: NASTY, roles: { [`${kind.workflow}:implementer`]: { model: 'm-1', prompt: `${NASTY}\n${'long '.repeat(100)}` } } })));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('they type-check strictly', () => {
    const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
    const args = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext', ...KINDS.map(({ workflow, target }) => `${workflow}-${target}.flow.ts`)];
    expect(spawnSync(process.execPath, [tsc, ...args], { cwd: folder, encoding: 'utf8' })).toMatchObject({ stdout: '', status: 0 });
  });

  test.each(KINDS)('$workflow for $target loads', async ({ workflow, target }) => {
    const loaded = await loadSealed(await sealFlow(join(folder, `${workflow}-${target}.flow.ts`)));
    expect(loaded.name).toBe('software-garden');
  });
});

test('the Software Garden has less than 48,000 bytes', () => {
  const draft = JSON.parse(readFileSync(new URL('../../drafts/software-garden.json', import.meta.url), 'utf8')) as DraftInput;
  expect(Buffer.byteLength(generate(draft))).toBeLessThan(48_000);
});

describe('what a draft says', () => {
  /** What a literal means to whoever reads the flow. */
  const read = (text: string): unknown => runInNewContext(`(${text})`) as unknown;

  test.each([NASTY, '', 'a\nb', `${'word '.repeat(60)}\n\n  indented\n`, 'x'.repeat(500), '\u0000\u001b[2J', '😀'.repeat(130), "'", '\\'])('means the same in the flow: %j', (text) => {
    const written = literal({ text });
    expect(read(written)).toEqual({ text });
    expect(written.split('\n').every((line) => Array.from(line).length <= 120)).toBe(true);
  });

  test('members that are no names are quoted', () => {
    expect(literal({ 'plan-reviewer': { cli: 'pi', model: undefined } })).toBe("{ 'plan-reviewer': { cli: 'pi' } }");
  });
});
