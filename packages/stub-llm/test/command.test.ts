import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const SCENARIO = fileURLToPath(new URL('../scenarios/question-only.json', import.meta.url));

function logFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stub-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'requests.jsonl');
}

it.each(['SIGTERM', 'SIGINT'] as const)('serves a scenario, writes a log, and ends with 0 on %s', async (signal) => {
  const log = logFile();
  const server = execa(process.execPath, [MAIN, '--scenario', SCENARIO, '--port', '0', '--log', log], { stdin: 'ignore', timeout: 120_000 });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const { port, url, pid } = JSON.parse(line.toString('utf8')) as { readonly port: number; readonly url: string; readonly pid: number };
  expect({ url, pid }).toEqual({ url: `http://127.0.0.1:${port}`, pid: server.pid });
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ messages: [{ role: 'user', content: 'Go.' }], tools: [{ type: 'function', function: { name: 'bash' } }] }) });
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Which database should I use? Postgres or SQLite?' } }] });
  server.kill(signal);
  expect(await server).toMatchObject({ exitCode: 0, stderr: '' });
  expect(readFileSync(log, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { at: expect.stringMatching(/^\d{4}-/), type: 'request', n: 1, kind: 'gen', api: 'chat', turn: 1, user: 'Go.', tools: ['bash'], tool_results: [], headers: { host: `127.0.0.1:${port}` } },
    { type: 'response', n: 1, turn: 1, status: 200, outcome: 'done' },
  ]);
});

it.each<[readonly string[], string]>([
  [[], 'Usage: node dist/main.js --scenario FILE [--port N] [--log FILE]'],
  [['--scenario', MAIN], 'main.js is not JSON: '],
  [['--scenario', '/nowhere.json'], 'no such file'],
  [['--scene', 'x'], "Unknown option '--scene'"],
  [['--scenario', SCENARIO, '--port', 'x'], '--port must be a number from 0 to 65535, not x.'],
])('refuses %j', async (args, message) => {
  const { exitCode, stderr, stdout } = await execa(process.execPath, [MAIN, ...args], { stdin: 'ignore', reject: false });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(message);
});
