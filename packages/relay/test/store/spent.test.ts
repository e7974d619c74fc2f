import { openDatabase } from '@relayflows/sdk/journal';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRelayTables } from '../../src/store/database.js';
import { RelayStore } from '../../src/store/store.js';

const WORKFLOW = { name: 'w', repos: ['app'], nodes: {} } as never;

test('what a run spent is shown at once and written with the next update of the run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-spent-'));
  const path = join(folder, 'state.db');
  const store = new RelayStore(openRelayTables(path));
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const stored = (): unknown => {
    const database = openDatabase(path);
    const row = database.prepare('SELECT runner_ms, task_ms, harness_ms FROM relay_run').get();
    database.close();
    return Object.values(row ?? {});
  };
  store.addRun({ id: 'a', logical: 'a', attempt: 1, repo: 'app', workflow: WORKFLOW, ticket: { id: '1', key: 'A-1', title: 'A' }, at: 1 });
  store.addSpent('a', 'task', 1.4);
  store.addSpent('a', 'task', 1.4);
  store.addSpent('a', 'runner', 10);
  expect(stored()).toEqual([0, 0, 0]);
  const spent = { runner: 10, task: 3, harness: 0 };
  expect([store.run('a')?.spent, store.latestAttempt('a')?.spent, store.runs()[0]?.spent]).toEqual([spent, spent, spent]);
  store.updateRun('a', { at: 2 });
  expect(stored()).toEqual([10, 3, 0]);
  expect(store.run('a')?.spent).toEqual(spent);
  // One that is being canceled is not brought back, and loses nothing by that.
  store.beginCancel('a', 'no', 3);
  store.addSpent('a', 'harness', 5);
  store.updateRun('a', { state: 'running', at: 4 });
  expect([store.run('a')?.state, store.run('a')?.spent.harness, stored()]).toEqual(['canceling', 5, [10, 3, 0]]);
  store.updateRun('a', { state: 'canceled', at: 5 });
  expect(stored()).toEqual([10, 3, 5]);
});
