// Executed by tests as a process of its own, from the built package: `files-child.mjs <what> <repository> <JSON>`. Prints a line per
// acknowledged write, so that a test knows what a killed child had been promised.
import { writeSync } from 'node:fs';
import { createFilesTaskSystem } from '../../../../dist/task/files/files-task-system.js';

const [what, path, json = '{}'] = process.argv.slice(2);
const { name, tickets, count, killAt } = JSON.parse(json);
const print = (value) => writeSync(1, `${JSON.stringify(value)}\n`);

let writes = 0;
/** Ends this process as a power cut does, in the middle of a write. */
const kill = (place) => async () => {
  writes += 1;
  if (killAt?.place !== place || writes < killAt.write) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
};

const own = { ticketsDir: 'tickets' };
const repo = await createFilesTaskSystem({ stateDir: `${path}/state-${name}`, watch: { before: kill('before'), after: kill('after') } }).openRepo({ name: 'app', path, taskConfig: own, ownTaskConfig: own });

const ACTS = {
  /** Comments on every ticket, with labels and states in between, as the only one of its name. */
  async comment() {
    for (let index = 0; index < count; index += 1) {
      for (const key of tickets) {
        const marker = `${name}-${index}:summary`;
        await repo.addComment({ key, marker, body: `Comment ${index} of ${name}.` });
        print({ key, marker });
        await repo.claim({ key, labels: [`by-${name}`] });
        await repo.transition({ ticket: key, transition: { parentStatus: index % 2 === 0 ? 'In Progress' : 'To Do' } });
      }
    }
  },
  /** What an attempt writes, from the beginning; all of it may be there already. */
  async attempt() {
    for (const key of tickets) {
      await repo.claim({ key, labels: ['wf:ship'] });
      const { implement } = await repo.ensureMailboxes({ ticket: key, mailboxes: ['implement', 'review'].map((node) => ({ node, title: `${key}:${node}`, description: `Do it. (${node})` })) });
      await repo.transition({ ticket: key, transition: repo.lifecycleDefault('work'), mailbox: implement });
      await repo.addComment({ key: implement, marker: 'v1:summary', body: 'It is fixed.' });
      await repo.transition({ ticket: key, transition: repo.lifecycleDefault('complete'), mailbox: implement });
      await repo.transition({ ticket: key, transition: repo.lifecycleDefault('end') });
      print({ key });
    }
  },
};

await ACTS[what]();
