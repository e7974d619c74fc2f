import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { agentCacheFolder, agentCli } from '../src/index.js';

function cacheWith(files: Readonly<Record<string, string>>): string {
  const cache = mkdtempSync(join(tmpdir(), 'stub-cache-'));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cache, path)), { recursive: true });
    writeFileSync(join(cache, path), content);
    if (path.includes('.bin/')) chmodSync(join(cache, path), 0o755);
  }
  return cache;
}

const PI = 'pi-1.6.0/node_modules';

it.each([
  [{ RELAYFLOWS_AGENT_CACHE: '/clis', XDG_CACHE_HOME: '/cache' }, '/clis'],
  [{ XDG_CACHE_HOME: '/cache' }, '/cache/relayflows/agent-clis'],
  [{ RELAYFLOWS_AGENT_CACHE: '', XDG_CACHE_HOME: '' }, join(homedir(), '.cache/relayflows/agent-clis')],
  [{}, join(homedir(), '.cache/relayflows/agent-clis')],
])('the cache is chosen by %j', (env, folder) => expect(agentCacheFolder(env)).toBe(folder));

it('a CLI is found with its version and the Node it needs', () => {
  const cache = cacheWith({ [`${PI}/@earendil-works/pi-coding-agent/package.json`]: '{"version":"1.6.0"}', [`${PI}/.bin/pi`]: '' });
  const bin = join(cache, PI, '.bin');
  expect(agentCli('pi-1.6.0', cache)).toEqual({ name: 'pi-1.6.0', version: '1.6.0', path: join(bin, 'pi'), env: { PATH: `${bin}${delimiter}${process.env['PATH']}` } });
});

it.each([
  ['nothing', {}],
  ['another version', { [`${PI}/@earendil-works/pi-coding-agent/package.json`]: '{"version":"1.6.1"}', [`${PI}/.bin/pi`]: '' }],
  ['no executable', { [`${PI}/@earendil-works/pi-coding-agent/package.json`]: '{"version":"1.6.0"}' }],
  ['half a file', { [`${PI}/@earendil-works/pi-coding-agent/package.json`]: '{"vers', [`${PI}/.bin/pi`]: '' }],
])('a folder with %s is none', (_, files) => expect(agentCli('pi-1.6.0', cacheWith(files))).toBeUndefined());
