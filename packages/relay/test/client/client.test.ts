import { createServer } from 'node:net';
import { writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { RELAY_ERROR_CODES, type RelayErrorCode } from '../../src/errors/codes.js';
import { isRelayError, RelayError } from '../../src/errors/relay-error.js';
import { addressOf, matchCall } from '../../src/server/address.js';
import { ENDPOINTS, type EndpointName } from '../../src/server/api.js';
import { fromWire, toWire, wireCode } from '../../src/server/wire-error.js';
import { madeHome } from '../scratch.js';
import { socketServer } from './socket-server.js';

describe('addresses', () => {
  test.each(Object.keys(ENDPOINTS) as EndpointName[])('%s is found again by its address, whatever a key holds', (name) => {
    const odd = 'a/b c?d#é%2F..';
    const params = Object.fromEntries(Array.from(ENDPOINTS[name].path.matchAll(/\{(\w+)\}/g), ([, param = '']) => [param, odd]));
    const query = { repo: 'x&y=z', ticket: undefined };
    expect(matchCall(ENDPOINTS[name].method, addressOf(name, params, query))).toEqual({ name, params, query: { repo: 'x&y=z' } });
  });

  test.each([
    ['GET', '/nowhere', 'not_found'],
    ['GET', '/runs/by-ticket/', 'not_found'],
    ['GET', '/runs/by-ticket/a/b/c', 'not_found'],
    ['PUT', '/runs', 'method_not_allowed'],
    ['GET', '/reports', 'method_not_allowed'],
    ['GET', '/workflows/%zz', 'request_invalid'],
  ])('%s %s is %s', (method, address, code) => {
    expect(() => matchCall(method, address)).toThrow(expect.objectContaining({ code }) as Error);
  });

  test('a call named in the middle of names is not taken for a name', () => {
    expect(matchCall('GET', '/repos/discover').name).toBe('discoverRepos');
    expect(matchCall('GET', '/repos/app').name).toBe('getRepo');
  });
});

describe('refusals', () => {
  test.each(Object.keys(RELAY_ERROR_CODES) as RelayErrorCode[])('%s arrives as what it was', (code) => {
    const error = new RelayError(code, 'A text.', { hint: 'A hint.', evidence: { path: '/x', list: [1] } });
    expect(fromWire(toWire(error).body.error)).toMatchObject({ code, kind: error.kind, text: 'A text.', hint: 'A hint.', evidence: { path: '/x', list: [1] } });
  });

  test.each([
    ['report_invalid', 'invalidReport', 422],
    ['workflow_invalid', 'invalid', 400],
    ['workflow_unknown', 'notFound', 404],
    ['method_not_allowed', 'methodNotAllowed', 405],
    ['run_conflict', 'conflict', 409],
    ['task_auth', 'internalError', 500],
    ['internal_error', 'internalError', 500],
  ] as const)('%s is %s with status %i for others', (code, wire, status) => {
    expect(wireCode(code)).toBe(wire);
    expect(toWire(new RelayError(code, 'x')).status).toBe(status);
  });

  test('a code that this version does not know is what it means to others', () => {
    expect(fromWire({ code: 'notFound', message: 'x', relayCode: 'brand_new' as RelayErrorCode }).code).toBe('not_found');
    expect(fromWire({ code: 'invalidReport', message: 'x' }).code).toBe('report_invalid');
  });
});

describe('calls', () => {
  test('what is asked arrives, and the answer comes back', async () => {
    const home = madeHome();
    const server = await socketServer(home.socket, ({ name }) => ({ name, odd: 'ü\u0000' }));
    const client = createClient(home.socket);
    expect(await client.call('approveRun', { params: { key: 'A/1' }, body: { reportId: 'r' }, query: { repo: 'app' } })).toEqual({ name: 'approveRun', odd: 'ü\u0000' });
    await client.call('submitWorkflow', { body: 'name: "x" # é\n' });
    await client.call('listRuns', { query: { active: 'true' } });
    await client.send('deliverReport', '{"runId" : 1}');
    expect(server.calls).toEqual([
      { name: 'approveRun', params: { key: 'A/1' }, query: { repo: 'app' }, body: '{"reportId":"r"}', type: 'application/json' },
      { name: 'submitWorkflow', params: {}, query: {}, body: 'name: "x" # é\n', type: 'application/yaml' },
      { name: 'listRuns', params: {}, query: { active: 'true' }, body: '', type: undefined },
      { name: 'deliverReport', params: {}, query: {}, body: '{"runId" : 1}', type: 'application/json' },
    ]);
  });

  test('a refusal is thrown as what it is', async () => {
    const home = madeHome();
    await socketServer(home.socket, () => {
      throw new RelayError('run_unknown', 'There is no run for A-1.', { hint: 'See `relay-flow run list`.' });
    });
    await expect(createClient(home.socket).call('getRun', { params: { key: 'A-1' } })).rejects.toMatchObject({ code: 'run_unknown', text: 'There is no run for A-1.', hint: 'See `relay-flow run list`.' });
  });

  test('nobody there: how to start one', async () => {
    const home = madeHome();
    const called = createClient(home.socket).call('health', {});
    await expect(called).rejects.toMatchObject({ code: 'server_unreachable', text: 'The server is not running.', hint: expect.stringContaining('relay-flow serve') as string });
  });

  test('a socket that a dead server left behind is nobody, and so is a file', async () => {
    const home = madeHome();
    writeFileSync(home.socket, '');
    await expect(createClient(home.socket).call('health', {})).rejects.toMatchObject({ code: 'server_unreachable', text: 'The server is not running.' });
  });

  test.each(['RAW ', 'RAW <html>', 'RAW null', 'RAW {"ok":true}', 'RAW {"ok":false}', 'RAW {"ok":false,"error":{"code":1,"message":"x"}}'])('%s is no answer', async (raw) => {
    const home = madeHome();
    await socketServer(home.socket, () => raw);
    await expect(createClient(home.socket).call('health', {})).rejects.toMatchObject({ code: 'internal_error', text: expect.stringContaining('no answer of a relay-flow server') as string });
  });

  test('a server that says nothing is given up', async () => {
    const home = madeHome();
    await socketServer(home.socket, () => new Promise(() => {}));
    await expect(createClient(home.socket).call('health', { timeoutMs: 200 })).rejects.toMatchObject({ code: 'server_unreachable', text: 'The server did not answer within 0.2 seconds.' });
  });

  test('a connection that breaks in the middle of an answer is no answer', async () => {
    const home = madeHome();
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"ok":true', () => socket.destroy());
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(home.socket, resolve);
    });
    onTestFinished(() => {
      server.close();
    });
    await expect(createClient(home.socket).call('health', {})).rejects.toMatchObject({ code: 'server_unreachable', text: expect.stringContaining('broke') as string });
  });

  test('who leaves is told his own reason', async () => {
    const home = madeHome();
    await socketServer(home.socket, () => new Promise(() => {}));
    const leaving = new AbortController();
    const called = createClient(home.socket).call('health', { signal: leaving.signal });
    leaving.abort(new Error('gone'));
    const reason: unknown = await called.catch((error: unknown) => error);
    expect(isRelayError(reason)).toBe(false);
    expect(String(reason)).toContain('gone');
  });
});
