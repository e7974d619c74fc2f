import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@relayflows/sdk/journal';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { openServerLog } from '../../src/host/server-log.js';
import type { Handlers } from '../../src/server/api.js';
import { listen, type Listening } from '../../src/server/http/listen.js';

let folder: string;
let listening: Listening | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rl-'));
});

afterEach(async () => {
  await listening?.close(100);
  rmSync(folder, { recursive: true, force: true });
});

async function answering(handlers: Partial<Handlers>): Promise<string> {
  const socket = join(folder, 'server.sock');
  listening = await listen({ socket, handlers: handlers as Handlers, log: openServerLog({ path: join(folder, 'server.log'), level: 'debug' }) });
  return socket;
}

it('makes a socket for its owner alone, and leaves the modes of all else as they are', async () => {
  const before = process.umask(0o022);
  try {
    const made = answering({});
    const beside = join(folder, 'beside');
    mkdirSync(beside);
    expect([beside, await made].map((path) => statSync(path).mode & 0o777)).toEqual([0o755, 0o600]);
  } finally {
    process.umask(before);
  }
});

it('a failure of the engine travels with what it says is to be done, and any other with a look into the log', async () => {
  const broken = join(folder, 'broken.db');
  writeFileSync(broken, 'This is no database. '.repeat(1_000));
  const socket = await answering({
    listRuns: async () => await Promise.resolve(openDatabase(broken).prepare('SELECT 1 FROM runs').all() as never),
    listRepos: async () => await Promise.reject(new TypeError('with a secret')),
  });
  const client = createClient(socket);
  await expect(client.call('listRuns', { query: {} })).rejects.toMatchObject({ code: 'internal_error', text: expect.stringContaining('is damaged'), hint: expect.stringContaining('restore it') });
  await expect(client.call('listRepos', {})).rejects.toMatchObject({ code: 'internal_error', text: expect.not.stringContaining('secret'), hint: 'Look into server.log.' });
  expect(readFileSync(join(folder, 'server.log'), 'utf8')).toContain('listRepos');
});

it('a request that is too large is refused for good, also while it is being sent, and the server goes on', async () => {
  const socket = await answering({ deliverReport: async () => await Promise.resolve({ accepted: true, duplicate: false }), listRuns: async () => await Promise.resolve([]) });
  const client = createClient(socket);
  const body = { runId: 'r', node: 'build', reportId: 'x', report: { text: 'x'.repeat(9 * 1024 * 1024) } };
  await expect(client.call('deliverReport', { body: body as never })).rejects.toMatchObject({ code: 'report_invalid', text: 'The report has more than 4194304 bytes.' });
  await expect(client.call('submitWorkflow', { body: 'x'.repeat(5 * 1024 * 1024) })).rejects.toMatchObject({ code: 'request_invalid', text: 'The request has more than 4194304 bytes.' });
  await expect(client.call('listRuns', { query: {} })).resolves.toEqual([]);
});

it('what is not JSON, or not a call, is refused as such', async () => {
  const socket = await answering({ deliverReport: async () => await Promise.resolve({ accepted: true, duplicate: false }) });
  const send = async (method: string, path: string, body: Buffer): Promise<{ readonly status: number | undefined; readonly text: string }> =>
    await new Promise((resolve, reject) => {
      const sending = request({ socketPath: socket, method, path }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece)).on('end', () => resolve({ status: response.statusCode, text }));
      });
      sending.on('error', reject).end(body);
    });
  for (const bytes of [Buffer.from([0xff, 0xfe, 0x7b]), Buffer.from('{"runId":'), Buffer.alloc(64)]) expect(await send('POST', '/reports', bytes)).toMatchObject({ status: 400, text: expect.stringContaining('"relayCode":"request_invalid"') });
  expect(await send('GET', '/nowhere', Buffer.alloc(0))).toMatchObject({ status: 404 });
  expect(await send('GET', '/%ff', Buffer.alloc(0))).toMatchObject({ status: 400 });
  expect(await send('PATCH', '/reports', Buffer.alloc(0))).toMatchObject({ status: 405 });
});
