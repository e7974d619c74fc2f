import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { beforeEach, expect, it, onTestFinished } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../../scripts/agent-clis.mts', import.meta.url));
/** In the same process, so that killing it kills the script. */
const TSX = import.meta.resolve('tsx');

/** An npm that writes what installing gemini would, says so, and waits as long as a file `hold` lies beside it. */
const NPM = `#!/bin/sh
set -eu
here=$(dirname "$0")
echo "$@" >> "$here/calls"
while [ -e "$here/hold" ]; do sleep 0.05; done
[ ! -e "$here/broken" ] || { echo "npm error no network"; exit 1; }
mkdir -p node_modules/@google/gemini-cli node_modules/.bin
echo '{"version":"0.61.0"}' > node_modules/@google/gemini-cli/package.json
printf '#!/bin/sh\\necho %s\\n' "$(cat "$here/says")" > node_modules/.bin/gemini
chmod +x node_modules/.bin/gemini
`;

let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'stub-install-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(join(place, 'bin'));
  write('npm', NPM);
  chmodSync(join(place, 'bin', 'npm'), 0o755);
  write('says', '0.61.0');
});

const write = (name: string, text = ''): void => writeFileSync(join(place, 'bin', name), text);
const calls = (): number => (existsSync(join(place, 'bin', 'calls')) ? readFileSync(join(place, 'bin', 'calls'), 'utf8').split('\n').length - 1 : 0);
const cache = (): readonly string[] => readdirSync(join(place, 'cache')).sort();
const executable = (): string => join(place, 'cache', 'gemini-0.61.0', 'node_modules', '.bin', 'gemini');

function install(...names: readonly string[]) {
  const env = { PATH: [join(place, 'bin'), process.env['PATH']].join(delimiter), RELAYFLOWS_AGENT_CACHE: join(place, 'cache') };
  return execa(process.execPath, ['--import', TSX, SCRIPT, ...names], { env, all: true, stdin: 'ignore', reject: false });
}

it('installs once, and then finds it installed', async () => {
  expect(await install('gemini')).toMatchObject({ exitCode: 0, all: expect.stringMatching(/^@google\/gemini-cli@0\.61\.0 was installed in \d+ s$/) });
  expect(await install('gemini')).toMatchObject({ exitCode: 0, all: '@google/gemini-cli@0.61.0 is installed' });
  expect({ calls: calls(), cache: cache() }).toEqual({ calls: 1, cache: ['gemini-0.61.0'] });
  expect(readFileSync(join(place, 'bin', 'calls'), 'utf8')).toMatch(/--ignore-scripts .*@google\/gemini-cli@0\.61\.0$/m);
});

it('lets two at once finish, with one folder', async () => {
  write('hold');
  const both = [install('gemini'), install('gemini')];
  await expect.poll(calls).toBe(2);
  rmSync(join(place, 'bin', 'hold'));
  expect((await Promise.all(both)).map(({ exitCode, all }) => ({ exitCode, all }))).toEqual([0, 0].map((exitCode) => ({ exitCode, all: expect.stringContaining('was installed') })));
  expect(cache()).toEqual(['gemini-0.61.0']);
});

it('takes what a killed install left for nothing, and removes it after a day', async () => {
  write('hold');
  const killed = install('gemini');
  await expect.poll(calls).toBe(1);
  killed.kill('SIGKILL');
  await killed;
  const [left = ''] = cache();
  expect(left).toMatch(/^gemini-0\.61\.0\.[0-9a-f]+\.partial$/);
  rmSync(join(place, 'bin', 'hold'));
  expect(await install('gemini')).toMatchObject({ exitCode: 0, all: expect.stringContaining('was installed') });
  expect(cache()).toEqual(['gemini-0.61.0', left]);
  const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400;
  utimesSync(join(place, 'cache', left), twoDaysAgo, twoDaysAgo);
  await install('gemini');
  expect(cache()).toEqual(['gemini-0.61.0']);
});

it('replaces one that does not work', async () => {
  await install('gemini');
  writeFileSync(executable(), '#!/bin/sh\nexit 1\n');
  expect(await install('gemini')).toMatchObject({ exitCode: 0, all: expect.stringContaining('was installed') });
  expect((await execa(executable())).stdout).toBe('0.61.0');
  expect(cache()).toEqual(['gemini-0.61.0']);
});

it('keeps nothing of one that says another version, and quotes it', async () => {
  write('says', '0.60.0');
  const { exitCode, all } = await install('gemini');
  expect({ exitCode, cache: cache() }).toEqual({ exitCode: 1, cache: [] });
  expect(all).toMatch(/^@google\/gemini-cli@0\.61\.0 could not be installed into .*: .*gemini --version answered without 0\.61\.0:\n0\.60\.0$/);
});

it('quotes npm when it fails', async () => {
  write('broken');
  const { exitCode, all } = await install('gemini');
  expect({ exitCode, cache: cache() }).toEqual({ exitCode: 1, cache: [] });
  expect(all).toMatch(/npm install .* ended with 1:\nnpm error no network$/);
});

it('knows no other CLI', async () => {
  expect(await install('nobody')).toMatchObject({ exitCode: 2, all: expect.stringMatching(/^There is no CLI called nobody\. There are: claude, codex, /) });
});
