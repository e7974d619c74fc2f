// Executed by tests as a process of its own, from the built package: `journal-child.mjs <what> <journal path> [JSON]`. Prints a line per
// acknowledged step, so that a test knows what a killed child had been promised.
import { writeSync } from 'node:fs';
import { openSqliteJournal } from '../../../dist/journal/sqlite/open.js';

const [what, path, json = '{}'] = process.argv.slice(2);
const options = JSON.parse(json);
const NOW = 1_700_000_000_000;

const print = (value) => writeSync(1, `${JSON.stringify(value)}\n`);
/** Waits for others as long as it takes: how long they hold the journal depends on the disk. */
const open = (more = {}) => openSqliteJournal({ path, busyTimeoutMs: 60_000, ...more });
const begin = (journal, id) => journal.createRun({
  run: { id, flowName: 'hello', source: { kind: 'registered', name: 'hello', version: '1' }, input: null, cwd: '/', createdAt: NOW, flags: [1] },
  source: { digest: `source of ${id}`, content: 'x'.repeat(10_000) },
  owner: { pid: process.pid, startTime: '1', bootId: 'b', host: 'here', token: 't' },
  leaseUntil: NOW,
});
const step = (runId, seq) => ({
  runId, epoch: 1, seq, stepId: `uuid-${seq}`, kind: 'uuid', fingerprint: 'ab'.repeat(16), attempt: 1, endedAt: NOW + seq,
  outcome: { ok: true, value: `${runId}/${seq}`.repeat(100) }, position: seq, created: seq,
});

async function complete(journal, runId, seq) {
  await journal.completed({ records: [step(runId, seq)] });
  print({ runId, seq });
}

const ACTS = {
  /** One run, one step after the other. */
  async sequential() {
    const journal = await open();
    await begin(journal, 'run-0');
    print({ runId: 'run-0', seq: 0 });
    for (let seq = 1; seq <= 40; seq += 1) await complete(journal, 'run-0', seq);
    await journal.close();
  },

  /** Many runs whose steps end together and share commits. */
  async concurrent() {
    const journal = await open();
    const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
    await Promise.all(ids.map(async (id) => {
      await begin(journal, id);
      print({ runId: id, seq: 0 });
      for (let seq = 1; seq <= 10; seq += 1) await complete(journal, id, seq);
    }));
    await journal.close();
  },

  /** Opens the journal with a longer history of the schema. */
  async migrate() {
    const journal = await open({ migrations: options.migrations });
    await journal.close();
    print('migrated');
  },

  /** Reports how opening and a first write end. */
  async attempt() {
    try {
      const journal = await open({ readOnly: options.readOnly ?? false });
      const runs = (await journal.list({ limit: 10 })).map(({ id }) => id);
      const steps = runs.length === 0 ? 0 : (await journal.history({ runId: runs[0] })).length;
      if (options.write === true) await begin(journal, 'by-child');
      await journal.close();
      print({ runs, steps });
    } catch (error) {
      print({ code: error.code, text: error.text, hint: error.hint, evidence: error.evidence, stack: error.stack });
    }
  },

  /** Holds the journal locked against everybody until its standard input ends. */
  async lock() {
    const { loadSqlite } = await import('../../../dist/journal/sqlite/driver.js');
    const database = (await loadSqlite())(path);
    database.exec(options.exclusive === true ? 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE' : 'BEGIN IMMEDIATE');
    print('locked');
    // Also keeps the database from being collected, which would end its lock.
    process.stdin.resume().on('end', () => {
      database.close();
      process.exit();
    });
  },

  /** Keeps writing until it is stopped from outside. */
  async write() {
    const journal = await open();
    await begin(journal, `by-${process.pid}`);
    process.stdin.resume().on('end', () => process.exit());
    for (let seq = 1; ; seq += 1) await complete(journal, `by-${process.pid}`, seq);
  },
};

await ACTS[what]();
