import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { needs } from 'test-tools';
import { describe, expect, test } from 'vitest';
import { onTerminal, plain } from '../terminal/pty.js';
import { Workplace } from '../workplace.js';

/** A place whose folder `scratch` is all that the demo may use. */
async function placeForDemo(): Promise<{ readonly place: Workplace; readonly env: Readonly<Record<string, string>>; readonly left: () => Promise<string[]> }> {
  const place = await Workplace.create();
  const scratch = join(place.folder, 'scratch folder');
  await mkdir(scratch);
  // Where Node keeps compiled code, it does so in the temporary folder, for whatever is started next.
  return { place, env: { TMPDIR: scratch, HOME: place.folder }, left: async () => (await readdir(scratch)).filter((name) => name !== 'node-compile-cache') };
}

interface DemoDocument {
  readonly exit: number;
  readonly completionReason: string;
  readonly scenario: string;
  readonly folder: string | null;
  readonly flow: { readonly version: number | null; readonly sha256: string };
  readonly change: { readonly title: string; readonly body: string; readonly draft: boolean; readonly branch: string; readonly commits: readonly string[]; readonly diff: string } | null;
  readonly question: { readonly source: string; readonly lines: readonly string[] } | null;
}

test('a ticket becomes a change request, and nothing is left', async () => {
  const { place, env, left } = await placeForDemo();
  const { status, stdout, stderr } = await place.flows(['demo'], { env });
  expect(stderr).toMatch(/ticket +#4 A price of 10\.05 is printed as 10\.5\n/);
  const stages = [...stderr.matchAll(/^(prepare|discover|plan|implement|check|publish|review|fix) +[✓✗]/gm)].map(([, stage]) => stage);
  expect(stages).toEqual(['prepare', 'discover', 'plan', 'implement', 'check', 'publish', 'review', 'fix', 'check', 'publish', 'review']);
  expect(stdout).toMatch(/#1 A price of 10\.05 is printed as 10\.5\nready for review {2}relayflow\/4-\S+ → main/);
  expect(stdout).toMatch(/Fixes #4[\s\S]*## Checks\n\n {2}The checks pass\./);
  expect(stdout).toMatch(/\n-\s+return .*\n\+[\s\S]*RUN \w+ completed \(\d+ steps\) completionReason: needs_human\n$/);
  expect(status).toBe(3);
  expect(await left()).toEqual([]);
});

test('--keep leaves all there is, which is what the document says', async () => {
  const { place, env } = await placeForDemo();
  // Of somebody who has told git no name, demands signatures, and has hooks that fail.
  await place.write('.gitconfig', '[user]\n\tuseConfigOnly = true\n[commit]\n\tgpgSign = true\n[core]\n\thooksPath = hooks\n[init]\n\tdefaultBranch = trunk\n');
  const document = (await place.document(['demo', '--keep'], { env: { ...env, GIT_DIR: '/nowhere', NODE_TEST_CONTEXT: 'child-v8' } })) as unknown as DemoDocument;
  expect(document).toMatchObject({ exit: 3, scenario: 'fix', completionReason: 'needs_human', question: null, change: { title: 'A price of 10.05 is printed as 10.5', draft: false, base: 'main', commits: ['Print both decimals of a price', 'Print refunds with their sign'] } });
  const folder = document.folder ?? '';
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: join(folder, 'till'), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  // The forge and the origin have what is shown, the flow's own files are in no commit, and the tests of what was pushed really pass.
  expect(git('ls-remote', 'origin', document.change?.branch ?? '')).toContain(git('rev-parse', 'HEAD'));
  expect(git('diff', `origin/main...HEAD`)).toBe(document.change?.diff);
  expect(git('diff', '--name-only', 'origin/main', 'HEAD').split('\n')).toEqual(['lib/price.js', 'test/price.test.js']);
  // No run needs its working files out of sight any more, so git shows what they are.
  expect(git('status', '--porcelain').split('\n').map((line) => line.slice(3)).sort()).toEqual(['.relayflow/', 'plan.md', 'review.clean', 'reviewed-plan.md', 'summary.md']);
  execFileSync(process.execPath, ['--test'], { cwd: join(folder, 'till'), stdio: 'pipe' });
  expect(await place.document(['status', 'last', '--data-dir', join(folder, 'runs')])).toMatchObject({ status: 'completed', completionReason: 'needs_human' });
  const published = readFileSync(join(folder, 'software-garden.flow.ts'));
  expect(createHash('sha256').update(published).digest('hex')).toBe(document.flow.sha256);
});

test('the flow is the newest that was published', async () => {
  const manifest = new URL('../../../../published/flows/software-garden/manifest.json', import.meta.url);
  const built = JSON.parse(readFileSync(new URL('../../dist/published/software-garden.json', import.meta.url), 'utf8')) as { version: number | null; sha256: string };
  const { version, sha256 } = JSON.parse(readFileSync(manifest, 'utf8')) as typeof built;
  expect(built).toEqual({ version, sha256 });
});

describe('a ticket that leaves a question open', () => {
  test('opens nothing, and the question is shown', async () => {
    const { place, env, left } = await placeForDemo();
    const { status, stdout } = await place.flows(['demo', '--scenario', 'unclear-ticket'], { env });
    // Names of files are code: a tracker shall make no link or mention of them.
    const words = stdout.replaceAll('&#x60;', '').replaceAll('`', '');
    expect(words).toContain('lib/total.js, which does not exist in this repository. Which file is meant?');
    expect(words).toContain('lib/receipt.js');
    expect(stdout).not.toContain('The change request it would have opened');
    expect(status).toBe(3);
    expect(await left()).toEqual([]);
  });

  test('is relayed as records by a flow that does so', async () => {
    const { place, env } = await placeForDemo();
    const document = (await place.document(['demo', '--scenario', 'unclear-ticket'], { env })) as unknown as DemoDocument;
    expect(document).toMatchObject({ exit: 3, scenario: 'unclear-ticket', completionReason: 'needs_human', change: null });
    if ((document.flow.version ?? 0) < 3) expect(document.question).toBeNull();
    else expect(document.question).toMatchObject({ source: 'needs-input.md', lines: [expect.stringContaining('lib/total.js') as string, expect.stringContaining('lib/cash.js') as string, expect.stringContaining('lib/receipt.js') as string] });
  });
});

test('without git it is refused, and nothing is left', async () => {
  const { place, env, left } = await placeForDemo();
  expect(await place.document(['demo'], { env: { ...env, PATH: '/nowhere' } })).toMatchObject({ diagnostics: [{ code: 'spawn_failed', message: 'Git is not on the PATH.' }] });
  expect(await left()).toEqual([]);
});

test('a scratch folder that cannot be made is named', async () => {
  const { place, env } = await placeForDemo();
  await place.write('occupied', '');
  expect(await place.document(['demo'], { env: { ...env, TMPDIR: join(place.folder, 'occupied') } })).toMatchObject({ exit: 2, diagnostics: [{ code: 'file_unwritable' }] });
});

describe('a signal', () => {
  test.each([['SIGINT', 130], ['SIGTERM', 143]] as const)('%s stops it in good order, and --keep keeps what was done', async (signal, status) => {
    const { place, env, left } = await placeForDemo();
    const run = place.start(['demo', '--keep'], { env });
    await run.printed(/^plan/m);
    run.child.kill(signal);
    const ended = await run.ended;
    expect(ended).toMatchObject({ status });
    expect(ended.stderr).not.toContain('FAILED');
    expect(await left()).toEqual([expect.stringMatching(/^relayflows-demo-/)]);
  });

  test('while the repository is made leaves nothing', async () => {
    const { place, env, left } = await placeForDemo();
    // A git that says when it is called, and takes the time that is needed.
    await mkdir(join(place.folder, 'bin'));
    await writeFile(join(place.folder, 'bin/git'), '#!/bin/sh\n: > "$HOME/called"\nuntil [ -e "$HOME/go" ]; do sleep 0.05; done\nexit 0\n', { mode: 0o755 });
    const run = place.start(['demo'], { env: { ...env, PATH: `${join(place.folder, 'bin')}:${process.env['PATH']}` } });
    await expect.poll(() => existsSync(join(place.folder, 'called'))).toBe(true);
    run.child.kill('SIGINT');
    await place.write('go', '');
    expect(await run.ended).toMatchObject({ status: 130, stderr: 'Stopping.\n' });
    expect(await left()).toEqual([]);
  });

  test('twice kills at once, and nothing is left', async () => {
    const { place, env, left } = await placeForDemo();
    const run = place.start(['demo'], { env });
    await run.printed(/^plan/m);
    run.child.kill('SIGINT');
    run.child.kill('SIGTERM');
    expect((await run.ended).status).toBeGreaterThanOrEqual(130);
    expect(await left()).toEqual([]);
  });
});

needs('unshare')('it needs no network', async () => {
  const { place, env } = await placeForDemo();
  const run = place.shell('exec unshare -rn $flows demo', env);
  expect(await run.ended).toMatchObject({ status: 3 });
});

needs('script', 'stty')('a terminal shows who is at work, and stays as it was', async () => {
  const { place, env, left } = await placeForDemo();
  const text = plain((await onTerminal(place, 'demo', { columns: 100, rows: 60, env }).ended).stdout);
  expect(text).toMatch(/implementer is at work \(\d/);
  expect(text).toMatch(/status=3 .*icanon/);
  expect(await left()).toEqual([]);
});

test('the agent of the demo says when it does not know a role', async () => {
  const place = await Workplace.create();
  await place.write('request', `${JSON.stringify({ protocol: 'relayflows-agent-cli-v1', instruction: 'Dance.' })}\n`);
  const agent = fileURLToPath(new URL('../../dist/demo/agent/main.js', import.meta.url));
  const { status, stdout, stderr } = await place.shell('exec "$NODE" "$agent" --relayflows-adapter-v1 < request', { NODE: process.execPath, agent }).ended;
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: 'relayflows-agent-cli-v1\n', stderr: expect.stringContaining('does not know what it is asked to do') as string });
});
