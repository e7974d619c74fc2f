import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { processes } from '../../../../scripts/published/processes.mjs';
import { manifestText } from '../../src/publish/manifest.js';
import type { PublishPlan } from '../../src/publish/plan.js';
import { manifestOf } from '../publish/edition.js';

const CHILD = join(mkdtempSync(join(tmpdir(), 'relayflows-publish-child-')), 'publish-child.mjs');
beforeAll(async () => {
  await build({ entryPoints: [fileURLToPath(new URL('publish-child.ts', import.meta.url))], outfile: CHILD, bundle: true, format: 'esm', platform: 'node', target: 'node20.19' });
});
afterAll(() => rmSync(dirname(CHILD), { recursive: true }));

const [ONE, TWO] = ['one\n', `two ${'x'.repeat(50_000)}\n`];

interface Publishing {
  readonly kill: () => void;
  readonly begun: Promise<void>;
  readonly end: Promise<{ readonly signal: NodeJS.Signals | null; readonly points: readonly string[]; readonly plan: PublishPlan | undefined }>;
}

function start(folder: string, source: string, at?: string): Publishing {
  const file = join(mkdtempSync(join(folder, '../source-')), 'flow.ts');
  writeFileSync(file, source);
  const child = spawn(process.execPath, [CHILD, folder, file, ...(at === undefined ? [] : [at])], { stdio: ['ignore', 'pipe', 'inherit'] });
  const points: string[] = [];
  let plan: PublishPlan | undefined;
  const begun = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as { readonly point?: string; readonly plan?: PublishPlan };
      if (said.point !== undefined) points.push(said.point);
      plan = said.plan ?? plan;
      resolve();
    });
  });
  const end = new Promise<Awaited<Publishing['end']>>((resolve, reject) => child.on('error', reject).on('close', (_code, signal) => resolve({ signal, points, plan })));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await end;
  });
  return { kill: () => child.kill('SIGKILL'), begun, end };
}

/** A folder in which version 1 was published and version 2 is being built. */
function folderWithNext(): string {
  const above = mkdtempSync(join(tmpdir(), 'relayflows-publish-'));
  onTestFinished(() => rmSync(above, { recursive: true, force: true, maxRetries: 5 }));
  const folder = join(above, 'garden');
  mkdirSync(folder);
  writeFileSync(join(folder, 'v1.flow.ts'), ONE);
  writeFileSync(join(folder, 'manifest.json'), manifestText(manifestOf(ONE)));
  writeFileSync(join(folder, 'next.flow.ts'), TWO);
  return folder;
}

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

const PUBLISHED = { 'manifest.json': manifestText(manifestOf(ONE, TWO)), 'v1.flow.ts': ONE, 'v2.flow.ts': TWO };
const POINTS = [
  'before write v2.flow.ts.staged', 'inside write v2.flow.ts.staged', 'before write manifest.json.staged', 'inside write manifest.json.staged',
  'before rename v2.flow.ts', 'before rename manifest.json', 'before remove next.flow.ts', 'at the end',
];

it('names every point at which it can be killed', async () => {
  const folder = folderWithNext();
  expect(await start(folder, TWO).end).toMatchObject({ signal: null, points: POINTS, plan: { kind: 'publish', version: 2 } });
  expect(contents(folder)).toEqual(PUBLISHED);
});

it.each(POINTS)('is completed or taken back by the next publish when it is killed %s', async (point) => {
  const folder = folderWithNext();
  expect(await start(folder, TWO, point).end).toMatchObject({ signal: 'SIGKILL', plan: undefined });
  expect(readFileSync(join(folder, 'v1.flow.ts'), 'utf8')).toBe(ONE);
  // Whatever is in its place is whole.
  const between = contents(folder);
  expect([undefined, TWO]).toContain(between['v2.flow.ts']);
  expect([manifestText(manifestOf(ONE)), PUBLISHED['manifest.json']]).toContain(between['manifest.json']);
  const { signal, plan } = await start(folder, TWO).end;
  expect({ signal, kind: plan?.kind }).toEqual({ signal: null, kind: point === 'at the end' ? 'unchanged' : /rename manifest|remove/.test(point) ? 'finish' : 'publish' });
  expect(contents(folder)).toEqual(PUBLISHED);
});

it('is completed when the publish that completes it is killed as well', async () => {
  const folder = folderWithNext();
  for (const point of ['before rename manifest.json', 'before rename manifest.json', 'before remove next.flow.ts']) {
    expect(await start(folder, TWO, point).end).toMatchObject({ signal: 'SIGKILL' });
  }
  expect((await start(folder, TWO).end).plan).toMatchObject({ kind: 'finish', version: 2 });
  expect(contents(folder)).toEqual(PUBLISHED);
});

it('refuses while another process holds the folder, and goes on once that process is dead', async () => {
  const folder = folderWithNext();
  const holder = start(folder, TWO, 'hold');
  await holder.begun;
  const before = contents(folder);
  expect((await start(folder, TWO).end).plan).toEqual({ kind: 'refused', reasons: [expect.stringMatching(/^Process \d+ on .* is publishing\./) as string], steps: [] });
  expect(contents(folder)).toEqual(before);
  holder.kill();
  await holder.end;
  expect((await start(folder, TWO).end).plan).toMatchObject({ kind: 'publish', version: 2 });
  expect(contents(folder)).toEqual(PUBLISHED);
});

it('lets one of several that come at once publish, and the others see that it is done', async () => {
  const folder = folderWithNext();
  const ends = await Promise.all([1, 2, 3, 4].map(() => start(folder, TWO).end));
  const kinds = ends.map(({ plan }) => plan?.kind);
  expect(kinds.filter((kind) => kind === 'publish')).toHaveLength(1);
  expect(kinds.filter((kind) => kind !== 'publish' && kind !== 'unchanged' && kind !== 'refused')).toEqual([]);
  expect(contents(folder)).toEqual(PUBLISHED);
});

it.each([
  ['a process of another host', { ...processes.self(), host: 'elsewhere.example' }, /^Process \d+ on elsewhere\.example is publishing\./],
  ['nobody that can be read', 'null', /^Somebody is publishing: publishing-1\.claim cannot be read\./],
])('does not take the folder from %s', async (_, owner, reason) => {
  const folder = folderWithNext();
  writeFileSync(join(folder, 'publishing-1.claim'), typeof owner === 'string' ? owner : JSON.stringify(owner));
  expect((await start(folder, TWO).end).plan).toEqual({ kind: 'refused', reasons: [expect.stringMatching(reason) as string], steps: [] });
});

it.each([
  ['an earlier boot', { ...processes.self(), bootId: '00000000-0000-4000-8000-000000000000/pid:[1]' }],
  ['a process whose number somebody else has now', { ...processes.self(), startTime: '1' }],
])('removes the claim of %s, and one that was never finished', async (_, owner) => {
  const folder = folderWithNext();
  expect(owner.host).toBe(hostname());
  writeFileSync(join(folder, 'publishing-1.claim'), JSON.stringify(owner));
  writeFileSync(join(folder, 'publishing-2.claim.staged'), '{');
  expect((await start(folder, TWO).end).plan).toMatchObject({ kind: 'publish' });
  expect(contents(folder)).toEqual(PUBLISHED);
});
