import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCatalog } from '../../src/catalog/catalog.js';
import { sha256Of } from '../../src/publish/digest.js';
import { readManifest } from '../../src/publish/manifest.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const USED = ['.gitattributes', '.gitignore', 'package.json', 'scripts', ...['drafts', 'package.json', 'shell', 'src', 'template'].map((name) => `packages/generator/${name}`), 'packages/sdk/package.json', 'packages/sdk/src'];
const GARDEN = 'published/flows/software-garden';

let above = '';
let checkout = '';

beforeAll(() => {
  above = mkdtempSync(join(tmpdir(), 'relayflows-scripts-'));
  checkout = join(above, 'checkout');
  for (const name of USED) cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  git('init', '--quiet', '--initial-branch=main');
  for (const [name, value] of [['user.name', 'A'], ['user.email', 'a@example.com']]) git('config', name ?? '', value ?? '');
  git('init', '--quiet', '--bare', '--initial-branch=main', '../origin.git');
  git('remote', 'add', 'origin', '../origin.git');
  commit();
});
afterAll(() => rmSync(above, { recursive: true, force: true, maxRetries: 5 }));

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: checkout, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** Commits everything. Returns the commit. */
function commit(): string {
  // The link is no folder, so the repository's own rule does not ignore it.
  git('add', '-A', '--', ':!node_modules');
  git('commit', '--quiet', '-m', 'Change');
  return git('rev-parse', 'HEAD');
}

function script(name: string, args: readonly string[] = [], path = process.env['PATH'] ?? ''): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), join(checkout, 'scripts', name), ...args], { cwd: above, encoding: 'utf8', env: { ...process.env, PATH: path } });
  return { status, said: stdout + stderr };
}

const publish = (...args: readonly string[]) => script('publish-software-garden.mts', args);
const propose = (...args: readonly string[]) => script('propose-catalog-bump.mts', args);
const gate = () => script('check.mts', ['published']);
const read = (name: string): string => readFileSync(join(checkout, name), 'utf8');

/** Changes what the draft asks for, so that the generator makes another flow. */
function redraft(task: string): void {
  const file = join(checkout, 'packages/generator/drafts/software-garden.json');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), task }));
}

// One story: each step stands on what the one before left.
it('says what it would do, and writes nothing', () => {
  expect(publish('--dry-run')).toMatchObject({ status: 0, said: expect.stringContaining('would rename v1.flow.ts.staged to v1.flow.ts') as string });
  expect(existsSync(join(checkout, 'published'))).toBe(false);
});

it('keeps the version that is being built as next, which a gate holds fresh', () => {
  expect(publish('--next').status).toBe(0);
  expect(gate().status).toBe(0);
  redraft('Be brief.');
  expect(gate()).toMatchObject({ status: 1, said: expect.stringContaining('next.flow.ts is not what the generator makes of the draft. Run npx tsx scripts/publish-software-garden.mts --next') as string });
  expect(publish()).toMatchObject({ status: 1, said: expect.stringContaining('Commit first') as string });
  commit();
  expect(publish()).toMatchObject({ status: 1, said: expect.stringContaining('next.flow.ts is not what the generator makes of the draft.') as string });
  expect(publish('--next').status).toBe(0);
  commit();
  expect(gate().status).toBe(0);
});

it('publishes what next is', () => {
  const next = read(`${GARDEN}/next.flow.ts`);
  expect(publish()).toMatchObject({ status: 0, said: expect.stringContaining('Version 1, sha256 ') as string });
  expect(read(`${GARDEN}/v1.flow.ts`)).toBe(next);
  expect(existsSync(join(checkout, GARDEN, 'next.flow.ts'))).toBe(false);
  expect(readManifest(read(`${GARDEN}/manifest.json`))).toEqual({
    name: 'software-garden', catalogId: 'software-garden', version: 1, sha256: sha256Of(next), bytes: Buffer.byteLength(next), path: `${GARDEN}/v1.flow.ts`, target: 'cloud',
    draft: expect.objectContaining({ workflow: 'traditional', agents: ['claude', 'codex'], task: 'Be brief.' }) as object, versions: [{ version: 1, sha256: sha256Of(next) }],
  });
  expect(publish()).toMatchObject({ status: 0, said: expect.stringContaining('There is nothing to publish.') as string });
});

it('serves it in a later commit, from the commit that published it', () => {
  expect(propose()).toMatchObject({ status: 1, said: expect.stringContaining('Nothing is published that could be served.') as string });
  const published = commit();
  expect(propose()).toMatchObject({ status: 0, said: expect.stringContaining(`ref ${published}`) as string });
  expect(existsSync(join(checkout, 'published/catalog.json'))).toBe(false);
  expect(propose('--write')).toMatchObject({ status: 0, said: expect.stringContaining('catalogVersion 0 to 1') as string });
  expect(readCatalog(read('published/catalog.json'))).toMatchObject({ catalogVersion: 1, flows: [{ version: 1, source: { release: 'software-garden-v1', ref: published, sha256: sha256Of(read(`${GARDEN}/v1.flow.ts`)) } }] });
  commit();
  expect(propose('--write')).toMatchObject({ status: 0, said: expect.stringContaining('serves the newest versions') as string });
  expect(gate().status).toBe(0);
});

it('finds a published file that was edited, and a catalog that was', () => {
  const [flow, catalog] = [read(`${GARDEN}/v1.flow.ts`), read('published/catalog.json')];
  writeFileSync(join(checkout, GARDEN, 'v1.flow.ts'), flow.replace('Made by', 'made by'));
  const { status, said } = gate();
  expect(status).toBe(1);
  expect(said).toContain('v1.flow.ts was changed.');
  expect(said).toContain('the catalog changed an artifact without advancing its version');
  expect(publish('--dry-run')).toMatchObject({ status: 1, said: expect.stringContaining('v1.flow.ts was changed.') as string });
  writeFileSync(join(checkout, GARDEN, 'v1.flow.ts'), flow);
  writeFileSync(join(checkout, 'published/catalog.json'), catalog.replaceAll(/"ref": "[0-9a-f]+"/g, `"ref": "${'0'.repeat(40)}"`));
  expect(gate()).toMatchObject({ status: 1, said: expect.stringContaining('catalog.json: the catalog changed an artifact without advancing its version.') as string });
  writeFileSync(join(checkout, 'published/catalog.json'), catalog);
  expect(gate().status).toBe(0);
});

it('publishes a second version without a next, and asks for the pull request that serves it through gh', () => {
  redraft('Be thorough.');
  expect(gate()).toMatchObject({ status: 1, said: expect.stringContaining('v1.flow.ts is not what the generator makes of the draft any more.') as string });
  commit();
  expect(publish()).toMatchObject({ status: 0, said: expect.stringContaining('Version 2, sha256 ') as string });
  commit();
  git('push', '--quiet', 'origin', 'main');
  const programs = join(above, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'gh'), [
    '#!/bin/sh',
    `printf '%s\\n' "$*" >>'${above}/asked'`,
    `case "$2" in list) cat '${above}/open' ;; create) cat >'${above}/body' && echo https://forge.example/pull/7 ;; esac`,
    '',
  ].join('\n'));
  chmodSync(join(programs, 'gh'), 0o755);
  const open = (): ReturnType<typeof script> => script('propose-catalog-bump.mts', ['--open-pr'], `${programs}${delimiter}${process.env['PATH'] ?? ''}`);
  writeFileSync(join(above, 'open'), '[]');
  expect(open()).toMatchObject({ status: 0, said: expect.stringMatching(/software-garden: version 1 to 2[^]*https:\/\/forge\.example\/pull\/7\n$/) as string });
  expect(readFileSync(join(above, 'asked'), 'utf8').split('\n')).toEqual([
    'pr list --head catalog-v2 --base main --state open --json url',
    'pr create --head catalog-v2 --base main --title Serve software-garden version 2 --body-file -',
    '',
  ]);
  expect(readFileSync(join(above, 'body'), 'utf8')).toContain('release software-garden-v2');
  writeFileSync(join(above, 'open'), '[{"url":"https://forge.example/pull/8"}]');
  expect(open()).toMatchObject({ status: 0, said: expect.stringMatching(/https:\/\/forge\.example\/pull\/8\n$/) as string });
  expect(git('status', '--porcelain', '--', ':!node_modules')).toBe('');
});
