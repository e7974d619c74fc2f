import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contents, emptyFolder, fillIn, git, makeRepository, preflight, writeKit } from './folder.js';

const TOKEN = { GH_TOKEN: 'x' };

/** A repository with a kit in it that is ready. */
function readyKit(origin?: string): string {
  const folder = makeRepository(join(emptyFolder(), 'repo'), origin);
  writeKit(folder);
  fillIn(folder);
  return folder;
}

test('a kit that is ready says how to run it, and changes nothing', () => {
  const folder = readyKit();
  const before = { files: contents(folder), status: git(folder, 'status', '--porcelain'), refs: git(folder, 'for-each-ref') };
  const { status, stdout, stderr } = preflight(folder, [], { env: TOKEN });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatchSnapshot();
  expect({ files: contents(folder), status: git(folder, 'status', '--porcelain'), refs: git(folder, 'for-each-ref') }).toEqual(before);
});

test('a kit as it was generated, anywhere: what can be told is told at once, the rest is not asked', () => {
  const folder = emptyFolder();
  writeKit(folder);
  const { status, stdout, stderr } = preflight(folder, [], { env: { GIT_CEILING_DIRECTORIES: join(folder, '..') } });
  expect(status).toBe(2);
  expect({ stdout, stderr: stderr.replaceAll(folder, '<folder>') }).toMatchSnapshot();
});

test('the forge is asked only when all else is well', () => {
  const folder = readyKit();
  writeFileSync(join(folder, 'code.txt'), 'other\n');
  const asked = join(emptyFolder(), 'asked');
  const programs = { gh: `#!/bin/sh\necho >${asked}\n` };
  expect(preflight(folder, [], { programs })).toMatchObject({ status: 2, stdout: expect.stringContaining('the forge is signed in: not asked yet') as string });
  git(folder, 'checkout', '-q', '--', 'code.txt');
  expect(preflight(folder, [], { programs })).toMatchObject({ status: 0 });
});

describe('the ticket', () => {
  test.each([
    ['no JSON', '{', /cannot be read/],
    ['no ticket', '{}', /has no title/],
    ['null', 'null', /has no title/],
    ['a blank title', '{"issue":{"title":" "}}', /has no title/],
    ['a title that is no text', '{"issue":{"title":7}}', /has no title/],
    ['the placeholder', '{"issue":{"title":" replace with YOUR ticket title "}}', /still the placeholder/],
    ['the placeholder of a body', '{"issue":{"title":"x","body":"Replace with what the ticket says: …"}}', /body of the ticket .* still the placeholder/],
    ['a number that is none', '{"issue":{"source":"github","title":"x","identifier":"GH-4"}}', /"GH-4" does not name a GitHub issue/],
  ])('%s is refused', (_, input, says) => {
    const folder = readyKit();
    writeFileSync(join(folder, 'flow-input.json'), input);
    const { status, stderr } = preflight(folder, [], { env: TOKEN });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(says) as string });
  });

  test('with a byte order mark is read', () => {
    const folder = readyKit();
    writeFileSync(join(folder, 'flow-input.json'), '\uFEFF{"issue":{"title":"x"}}');
    expect(preflight(folder, [], { env: TOKEN })).toMatchObject({ status: 0 });
  });
});

describe('the tree', () => {
  test.each<[string, (folder: string) => void, string]>([
    ['an edited file', (folder) => writeFileSync(join(folder, 'code.txt'), 'other\n'), 'code.txt'],
    ['a staged file', (folder) => { writeFileSync(join(folder, 'code.txt'), 'other\n'); git(folder, 'add', 'code.txt'); }, 'code.txt'],
    ['an untracked file, however its user wants to see them', (folder) => { writeFileSync(join(folder, 'new "ä".txt'), ''); git(folder, 'config', 'status.showUntrackedFiles', 'no'); }, 'new "ä".txt'],
    ['a file of a kit\'s name elsewhere', (folder) => { mkdirSync(join(folder, 'sub')); writeFileSync(join(folder, 'sub/plan.md'), ''); }, 'sub/'],
  ])('%s is no clean tree', (_, change, named) => {
    const folder = readyKit();
    change(folder);
    const { status, stderr } = preflight(folder, [], { env: TOKEN });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`changes that are not committed: ${named}.`) as string });
  });

  test.each(['summary.md', '.relayflow/check.sh', '.relayflowd/journal.sqlite3'])('%s of a run is not counted', (file) => {
    const folder = readyKit();
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), '');
    expect(preflight(folder, [], { env: TOKEN })).toMatchObject({ status: 0 });
  });

  test('a kit in a new folder of the repository is not counted, and what lies beside it is', () => {
    const repository = makeRepository(join(emptyFolder(), 'repo'));
    const folder = join(repository, 'new folder/kit');
    writeKit(folder);
    fillIn(folder);
    expect(preflight(folder, [], { env: TOKEN })).toMatchObject({ status: 0 });
    writeFileSync(join(repository, 'new folder/other.txt'), '');
    expect(preflight(folder, [], { env: TOKEN })).toMatchObject({ status: 2 });
  });
});

describe('the forge', () => {
  const gh = (status: number): Record<string, string> => ({ gh: `#!/bin/sh\n[ "$*" = "auth status --hostname github.com" ] && exit ${status}\nexit 9\n` });

  test.each<[string, string, Parameters<typeof preflight>[2], number, string]>([
    ['a token', 'git@github.com:acme/app.git', { env: { GITHUB_TOKEN: 'x' } }, 0, ''],
    ['gh, signed in', 'git@github.com:acme/app.git', { programs: gh(0) }, 0, ''],
    ['gh, over the other port of ssh', 'ssh://git@ssh.github.com:443/acme/app.git', { programs: gh(0) }, 0, ''],
    ['gh, not signed in', 'https://github.com/acme/app', { programs: gh(1) }, 2, 'gh auth login --hostname github.com'],
    ['neither', 'https://github.com/acme/app', {}, 2, 'Set GH_TOKEN, or install the GitHub CLI'],
    ['an empty token', 'https://github.com/acme/app', { env: { GH_TOKEN: ' ' } }, 2, 'Set GH_TOKEN'],
    ['GitLab with a token', 'https://user:secret@gitlab.example.com/acme/app', { env: { GITLAB_TOKEN: 'x' } }, 0, ''],
    ['GitLab without one', 'https://user:secret@gitlab.example.com/acme/app', {}, 2, 'Nobody is signed in at gitlab.example.com'],
    ['a folder', '../origin.git', {}, 2, 'a folder of this machine'],
    ['a folder that stands in for a forge', '../origin.git', { env: { RELAYFLOW_FORGE_DIR: '/tmp/forge' } }, 0, ''],
    ['a forge nobody knows', 'https://code.example.com/acme/app', {}, 2, 'git config relayflow.forge github'],
  ])('%s', (_, origin, options, status, says) => {
    const result = preflight(readyKit(origin), [], options);
    expect({ status: result.status, stderr: result.stderr }).toEqual({ status, stderr: status === 0 ? '' : (expect.stringContaining(says) as string) });
    expect(result.stderr).not.toContain('secret');
  });

  test('is what the repository says it is', () => {
    const folder = readyKit('https://code.example.com/acme/app');
    git(folder, 'config', 'relayflow.forge', 'gitlab');
    expect(preflight(folder)).toMatchObject({ status: 2, stderr: expect.stringContaining('Set GITLAB_TOKEN') as string });
    expect(preflight(folder, [], { env: { GITLAB_TOKEN: 'x' } })).toMatchObject({ status: 0 });
  });
});

test('a repository without an origin is refused', () => {
  expect(preflight(readyKit(''), [], { env: TOKEN })).toMatchObject({ status: 2, stderr: expect.stringContaining('no remote named origin') as string });
});

test('without git it says so', () => {
  expect(preflight(readyKit(), [], { env: { ...TOKEN, PATH: '/nowhere' } })).toMatchObject({ status: 2, stderr: expect.stringContaining('Git is not installed.') as string });
});

test.each([[['--instal']], [['--install']], [['--install', 'a', 'b']]])('%j is refused', (args) => {
  expect(preflight(readyKit(), args)).toMatchObject({ status: 2, stderr: expect.stringContaining('--install and a folder') as string });
});
