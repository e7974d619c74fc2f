import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { tool } from 'test-tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runChangeCommand } from '../../src/forge/commands/main.js';
import { layoutOf } from '../../src/forge/folder/layout.js';
import { GIT_ENV, makeClone, type Clone } from './clone.js';
import { GITHUB_TOKEN } from './fakes/github.js';
import { quickPace } from './pace.js';
import { closedPort, gitHubStage } from './stage.js';

const BIN = fileURLToPath(new URL('../../bin/', import.meta.url));
const OPEN = join(BIN, 'relayflow-open-change');
const CHANGE = join(BIN, 'relayflow-change');

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Call {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
}

function start(file: string, args: readonly string[], { cwd, env, input }: Call) {
  const child = spawn(file, args, { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (piece: string) => (text[name] += piece));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, ...text }));
  });
  return { child, ended };
}

const call = async (file: string, args: readonly string[], options: Call): Promise<Ended> => await start(file, args, options).ended;

/** A clone on a pushed branch, and a folder that stands in for a forge. */
function local(): { readonly clone: Clone; readonly forge: string; readonly options: Call } {
  const clone = makeClone();
  onTestFinished(() => clone.remove());
  clone.push('feature/ä');
  clone.git('switch', '-q', '-c', 'feature/ä');
  writeFileSync(join(clone.cwd, 'body.md'), '\uFEFFIt is fixed.\n\nFixes #4\n');
  const forge = join(clone.folder, 'forge');
  return { clone, forge, options: { cwd: clone.cwd, env: { ...GIT_ENV, RELAYFLOW_FORGE_DIR: forge } } };
}

describe('on the current branch', () => {
  it('a change is opened, updated, drafted, made ready and commented on', async () => {
    const { forge, options } = local();
    const place = layoutOf(forge).change('feature/ä');
    const url = `${pathToFileURL(place.description).href}\n`;
    const facts = () => JSON.parse(readFileSync(place.facts, 'utf8')) as Record<string, unknown>;
    expect(await call(OPEN, ['--title', 'Fix "it"', '--body-file', 'body.md', '--draft', '--reviewer', '@ada'], options)).toEqual({ status: 0, stdout: url, stderr: '' });
    expect(facts()).toEqual({ number: 1, branch: 'feature/ä', base: 'main', title: 'Fix "it"', draft: true, reviewers: ['ada'] });
    expect(readFileSync(place.description, 'utf8')).toBe('It is fixed.\n\nFixes #4\n');
    expect(await call(OPEN, ['--title', '-- it', '--body-file', '-', '--base', 'develop'], { ...options, input: 'Again.' })).toEqual({ status: 0, stdout: url, stderr: '' });
    expect(facts()).toEqual({ number: 1, branch: 'feature/ä', base: 'develop', title: '-- it', draft: false, reviewers: ['ada'] });
    expect(await call(CHANGE, ['draft'], options)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(facts()).toMatchObject({ draft: true });
    expect(await call(CHANGE, ['comment', '--body-file', 'body.md'], options)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(readdirSync(place.comments)).toEqual(['0001.md']);
    expect(await call(CHANGE, ['ready'], options)).toMatchObject({ status: 0 });
    expect(facts()).toMatchObject({ draft: false });
  });

  it('what a forge refuses ends with 1, and a wrong call with 2', async () => {
    const { clone, options } = local();
    expect(await call(CHANGE, ['draft'], options)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^relayflow: \[change_not_found\] The folder has no open change request of the branch feature\/ä\.\nrelayflow: Open one first/) as string });
    clone.git('switch', '-q', '-c', 'not-pushed');
    expect(await call(OPEN, ['--title', 'T', '--body-file', 'body.md'], options)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('[forge_refused] The remote has no branch not-pushed.') as string });
    expect(await call(OPEN, ['--title', 'T', '--body-file', 'body.md', '--head', 'main'], options)).toMatchObject({ status: 1, stderr: expect.stringContaining('no commits between main and main') as string });
    expect(await call(OPEN, ['--title', 'T', '--body-file', 'gone.md'], options)).toMatchObject({ status: 2, stderr: expect.stringContaining('gone.md cannot be read (ENOENT)') as string });
    expect(await call(OPEN, ['--title', 'T'], options)).toMatchObject({ status: 2, stdout: '' });
    expect(await call(CHANGE, [], options)).toMatchObject({ status: 2, stdout: '' });
    clone.git('checkout', '-q', '--detach');
    expect(await call(CHANGE, ['ready'], options)).toMatchObject({ status: 2, stderr: expect.stringContaining('No branch is checked out') as string });
    expect(await call(CHANGE, ['ready'], { ...options, env: GIT_ENV })).toMatchObject({ status: 1, stderr: expect.stringContaining('[forge_unknown]') as string });
    const outside = { cwd: clone.folder, env: { ...options.env, GIT_CEILING_DIRECTORIES: clone.folder } };
    expect(await call(CHANGE, ['ready'], outside)).toMatchObject({ status: 1, stderr: expect.stringContaining('[forge_unknown] Git cannot read a repository here') as string });
    writeFileSync(join(clone.folder, 'file'), '');
    clone.git('switch', '-q', 'feature/ä');
    const env = { ...GIT_ENV, RELAYFLOW_FORGE_DIR: join(clone.folder, 'file') };
    expect(await call(OPEN, ['--title', 'T', '--body-file', 'body.md'], { ...options, env })).toMatchObject({ status: 1, stderr: expect.stringMatching(/\[forge_unreachable\] The folder .*file cannot be used as a forge \(ENOTDIR\)/) as string });
  });

  it('a reviewer who cannot be asked does not take the change back', async () => {
    const { fake, env, clone } = await gitHubStage();
    writeFileSync(join(clone.cwd, 'b.md'), 'x');
    const opened = await call(OPEN, ['--title', 'T', '--body-file', 'b.md', '--head', 'feature', '--reviewer', fake.author], { cwd: clone.cwd, env });
    expect(opened).toMatchObject({ status: 0, stdout: `http://127.0.0.1:${fake.http.port}/octo/tower/pull/1\n` });
    expect(opened.stderr).toMatch(/^relayflow: the change is open, but octocat could not be asked to review it\nrelayflow: \[forge_refused\] .*pull request author/);
  });

  it('says how a token is refused, and never which', async () => {
    const { clone, fake, env } = await gitHubStage();
    clone.git('remote', 'set-url', 'origin', `http://ada:hunter2secret@127.0.0.1:${fake.http.port}/octo/tower`);
    clone.git('switch', '-q', '-c', 'feature');
    fake.token = 'another';
    const refused = await call(CHANGE, ['ready'], { cwd: clone.cwd, env });
    expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('[forge_unauthenticated] GitHub at 127.0.0.1 refuses the credentials from GH_ENTERPRISE_TOKEN: Bad credentials.') as string });
    clone.git('remote', 'set-url', 'origin', `http://ada:hunter2secret@127.0.0.1:${await closedPort()}/octo/tower`);
    const told: string[] = [];
    const world = { cwd: clone.cwd, env, stdin: process.stdin, stdout: (text: string) => void told.push(text), stderr: (text: string) => void told.push(text), pace: quickPace() };
    expect(await runChangeCommand('change', ['ready'], world)).toBe(1);
    expect(told.join('')).toMatch(/^relayflow: \[forge_unreachable\] GitHub at 127\.0\.0\.1 cannot be reached: .*ECONNREFUSED/);
    expect(refused.stderr + told.join('')).not.toMatch(new RegExp(`${GITHUB_TOKEN}|hunter2`));
  });
});

describe('several processes', () => {
  it('open one change together', async () => {
    const { forge, options } = local();
    const ended = await Promise.all(Array.from({ length: 6 }, async (_, index) => await call(OPEN, ['--title', `From ${index}`, '--body-file', 'body.md'], options)));
    expect(ended.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(1);
    expect(readdirSync(layoutOf(forge).open).length).toBe(1);
  });

  it('leave nothing half done when they are killed', async () => {
    const { forge, options } = local();
    const node = { ...options, env: { ...options.env, RELAYFLOW_NODE: process.execPath } };
    for (let wait = 20; wait <= 260; wait += 20) {
      const { child, ended } = start(OPEN, ['--title', `After ${wait}`, '--body-file', 'body.md'], node);
      const timer = setTimeout(() => child.kill('SIGKILL'), wait);
      await ended;
      clearTimeout(timer);
      const place = layoutOf(forge).change('feature/ä');
      // Either there is no change, or there is a whole one.
      const found = await call(CHANGE, ['ready'], options);
      expect([0, 1]).toContain(found.status);
      if (found.status === 0) expect(readFileSync(place.description, 'utf8')).toBe('It is fixed.\n\nFixes #4\n');
      else expect(found.stderr).toContain('change_not_found');
    }
    expect(await call(OPEN, ['--title', 'Last', '--body-file', 'body.md'], options)).toMatchObject({ status: 0 });
  });
});

describe('the launchers', () => {
  it('need no node on PATH where the run names one', async () => {
    const { clone, options } = local();
    const tools = join(clone.folder, 'no node here');
    mkdirSync(tools);
    for (const name of ['git', 'sh', 'readlink']) symlinkSync(tool(name) ?? '', join(tools, name));
    const env = { ...options.env, PATH: tools };
    expect((await call(CHANGE, ['--help'], { ...options, env })).status).toBe(127);
    expect(await call(CHANGE, ['draft'], { ...options, env: { ...env, RELAYFLOW_NODE: process.execPath } })).toMatchObject({ status: 1, stderr: expect.stringContaining('change_not_found') as string });
  });

  it('work through a link, as npm makes one', async () => {
    const { clone, options } = local();
    const linked = join(clone.folder, 'relayflow-change');
    symlinkSync(CHANGE, linked);
    expect(await call(linked, ['--help'], options)).toMatchObject({ status: 0, stdout: expect.stringContaining('relayflow-change draft') as string });
  });

  it('load Octokit and proxies only for what needs them', async () => {
    const { clone, options } = local();
    const log = join(clone.folder, 'loaded');
    const hooks = join(clone.folder, 'hooks.mjs');
    writeFileSync(hooks, `import { appendFileSync } from 'node:fs';\nexport async function load(url, context, next) {\n  appendFileSync(${JSON.stringify(log)}, url + '\\n');\n  return next(url, context);\n}\n`);
    writeFileSync(join(clone.folder, 'register.mjs'), `import { register } from 'node:module';\nregister(${JSON.stringify(pathToFileURL(hooks).href)});\n`);
    const env = { ...options.env, NODE_OPTIONS: `--import ${pathToFileURL(join(clone.folder, 'register.mjs')).href}` };
    expect(await call(OPEN, ['--title', 'T', '--body-file', 'body.md'], { ...options, env })).toMatchObject({ status: 0 });
    const loaded = readFileSync(log, 'utf8');
    expect(loaded).toContain('change-command');
    expect(loaded).not.toMatch(/octokit|undici/);
  });
});
