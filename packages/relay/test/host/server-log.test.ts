import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RelayError } from '../../src/errors/relay-error.js';
import { errorFields, logLevelOf, openServerLog, type LogFields } from '../../src/host/server-log.js';
import { recordStartupFailure, startupFailure } from '../../src/host/startup-record.js';
import { madeHome } from '../scratch.js';

const lines = (path: string): Record<string, unknown>[] => readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);

test('a line has time, process, level, message and fields that are on the list', () => {
  const { serverLog: path } = madeHome();
  const log = openServerLog({ path, now: () => 0 });
  log.info('A ticket was claimed.', { ticket: 'A-1', outcome: 'claimed', claims: ['wf:x'], node: undefined, prompt: 'secret', env: 'secret' } as LogFields);
  log.debug('Not written.');
  log.close();
  expect(lines(path)).toEqual([{ time: '1970-01-01T00:00:00.000Z', pid: process.pid, level: 'info', message: 'A ticket was claimed.', ticket: 'A-1', outcome: 'claimed', claims: ['wf:x'] }]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a full file makes room, three old ones stay, and no line is lost or cut', () => {
  const { serverLog: path } = madeHome();
  const log = openServerLog({ path, largestFile: 400, now: () => 0 });
  for (let count = 0; count < 15; count += 1) log.info('x'.repeat(100), { count });
  log.close();
  const kept = [`${path}.3`, `${path}.2`, `${path}.1`, path].flatMap(lines).map(({ count }) => count);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 15 - kept.length + index));
  for (const file of [path, `${path}.1`, `${path}.3`]) expect(statSync(file).size).toBeLessThanOrEqual(400);
  expect(existsSync(`${path}.4`)).toBe(false);
});

test('what could not be written for a while loses its lines and no later one', () => {
  const { serverLog: path } = madeHome();
  const log = openServerLog({ path, largestFile: 400, now: () => 0 });
  // Stands where the oldest file is to be removed.
  mkdirSync(`${path}.3`);
  for (let count = 0; count < 8; count += 1) log.info('x'.repeat(100), { count });
  rmdirSync(`${path}.3`);
  for (let count = 8; count < 10; count += 1) log.info('x'.repeat(100), { count });
  log.close();
  log.info('Nobody hears this.');
  expect(lines(path).map(({ count }) => count)).toEqual(expect.arrayContaining([8, 9]));
});

test('a line for which there was not enough room spoils no other', () => {
  const { serverLog: path } = madeHome();
  writeFileSync(path, '{"message":"A whole one."}\n{"message":"Ha');
  for (const message of ['One.', 'Two.']) {
    const log = openServerLog({ path });
    log.info(message);
    log.close();
  }
  expect(readFileSync(path, 'utf8').split('\n').map((line) => /"message":"([^"]*)"?/.exec(line)?.[1])).toEqual(['A whole one.', 'Ha', 'One.', 'Two.', undefined]);
});

test('a log that cannot be opened is a home that cannot be used', () => {
  const { serverLog: path } = madeHome();
  mkdirSync(path);
  expect(() => openServerLog({ path })).toThrow(expect.objectContaining({ code: 'home_unusable', text: `${path} cannot be written: EISDIR.` }) as Error);
});

test('of errors that are not ours only the kind is written', () => {
  expect(errorFields(new RelayError('task_auth', 'Jira refused the credentials.', { hint: 'Run `relay-flow task auth`.', evidence: { a: 1 } }))).toEqual({ code: 'task_auth', kind: 'auth', text: 'Jira refused the credentials.', hint: 'Run `relay-flow task auth`.' });
  expect(errorFields(Object.assign(new TypeError('--token secret'), { code: 'EACCES' }))).toEqual({ name: 'TypeError', code: 'EACCES' });
  expect(errorFields('secret')).toEqual({ name: 'string' });
});

test.each([
  [{}, false, 'info'],
  [{ RELAY_FLOW_LOG_LEVEL: 'WARN' }, false, 'warn'],
  [{ RELAY_FLOW_LOG_LEVEL: 'loud' }, false, 'info'],
  [{ RELAY_FLOW_LOG_LEVEL: 'error' }, true, 'debug'],
])('%o, debug: %s is %s', (env, debug, level) => {
  expect(logLevelOf(env, debug)).toBe(level);
});

test('why a process could not start is found by its id, however much others wrote', () => {
  const { serverLog: path } = madeHome();
  expect(startupFailure(path, process.pid)).toBeUndefined();
  const log = openServerLog({ path });
  writeFileSync(path, `${JSON.stringify({ pid: 1, message: 'server startup failed', text: 'An old one.' })}\n{broken\n`, { flag: 'a' });
  log.info('x'.repeat(3_000));
  expect(startupFailure(path, process.pid)).toBeUndefined();
  recordStartupFailure(log, new RelayError('database_missing', 'There is no database.', { hint: 'Run `relay-flow init`.' }));
  log.info('x');
  expect(startupFailure(path, process.pid)).toMatchObject({ code: 'database_missing', text: 'There is no database.', hint: 'Run `relay-flow init`.' });
  expect(startupFailure(path, 1)).toMatchObject({ text: 'An old one.' });
  for (let count = 0; count < 30; count += 1) log.info('x'.repeat(3_000));
  expect(startupFailure(path, process.pid)).toBeUndefined();
  log.close();
});
