import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { notesOnDisk } from '../../src/delivery/notes.js';
import { exampleReport } from '../../src/report/index.js';
import { ACCEPTED, fakeHost, INVALID, settle, UNREACHABLE } from '../fakes.js';

let home: string;
const logged: string[] = [];
const node = { runId: 'shop/fix/SHOP-1', node: 'build' };
const folder = (): string => join(home, 'reports');
const files = (): readonly string[] => readdirSync(folder()).toSorted();
const textOf = (end: string): string => readFileSync(join(folder(), files().find((name) => name.endsWith(end)) ?? end), 'utf8');
const notes = () => notesOnDisk({ home, ...node }, (event, details) => logged.push(JSON.stringify({ event, ...details })));
const report = exampleReport({ success: [{ target: 'review' }], failure: [] });

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'rf-'));
  logged.length = 0;
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('holds the newest report, for its owner only, until it is answered', async () => {
  const one = notes();
  await one.underWay('{"reportId":"a"}');
  await one.underWay('{"reportId":"b"}');
  expect([files().length, textOf('.report.json')]).toEqual([1, '{"reportId":"b"}']);
  expect([statSync(folder()).mode & 0o777, statSync(join(folder(), files()[0] ?? '')).mode & 0o777]).toEqual([0o700, 0o600]);
  await one.answered('accepted');
  expect(files()).toEqual([]);
});

it('counts corrections over all plugins of a program, until a report is accepted', async () => {
  const [one, other] = [notes(), notes()];
  await one.corrected();
  await other.corrected();
  await one.corrected();
  expect(JSON.parse(textOf('.corrections.json'))).toEqual({ ...node, corrections: 3 });
  await other.underWay('{}');
  await other.answered('rejected');
  expect(files().map((name) => name.split('.')[1])).toEqual(['corrections']);
  await one.answered('accepted');
  expect(files()).toEqual([]);
  await one.corrected();
  expect(JSON.parse(textOf('.corrections.json'))).toMatchObject({ corrections: 1 });
});

it('keeps nodes and attempts apart, and calls in their order', async () => {
  const others = [{ ...node, node: 'review' }, { ...node, runId: `${node.runId}~attempt~2` }].map((of) => notesOnDisk({ home, ...of }, () => undefined));
  await Promise.all([...others, notes()].map((each) => each.underWay('{}')));
  expect(files()).toHaveLength(3);
  const one = notes();
  const calls = [one.underWay('1'), one.answered('accepted'), one.underWay('2')];
  await Promise.all(calls);
  expect([files().length, files().map((name) => readFileSync(join(folder(), name), 'utf8')).toSorted()]).toEqual([3, ['2', '{}', '{}']]);
});

it('disturbs nobody where it cannot write', async () => {
  writeFileSync(folder(), 'a file');
  const one = notes();
  await one.underWay('{}');
  await one.corrected();
  await one.answered('accepted');
  expect(logged[0]).toBe('{"event":"not noted","error":"Error"}');
});

it('is told of a report before the server is, and of the newest answer only', async () => {
  const host = fakeHost({}, UNREACHABLE);
  const first = host.relay.deliver('ses:1', report);
  await settle();
  expect([host.noted, host.command.calls.length]).toEqual([['ses:1'], 1]);
  host.command.auto = ACCEPTED;
  await host.relay.deliver('ses:2', report);
  expect([await first, host.noted]).toEqual([{ outcome: 'superseded' }, ['ses:1', 'ses:2', 'accepted']]);
  host.command.auto = INVALID;
  await host.relay.deliver('ses:3', report);
  expect(host.noted.slice(3)).toEqual(['ses:3', 'rejected']);
});
