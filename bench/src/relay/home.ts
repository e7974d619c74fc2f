import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
// What a home holds is not public.
import { prepareHome } from '../../../packages/relay/dist/host/prepare-home.js';
import { replaceStored } from '../../../packages/relay/dist/workflow/store/store.js';
import { homeOf, type Home } from '../../../packages/relay/dist/index.js';
import { openSqliteJournal } from '../../../packages/sdk/dist/journal/index.js';

const LOOP = `name: loop
repos: [app]
nodes:
  start: { onSuccess: [{ target: one }] }
  one: { type: agent, agent: a, description: One., onSuccess: [{ target: two }], onFailure: [{ target: one }] }
  two: { type: agent, agent: a, description: Two., onSuccess: [{ target: one }, { target: end }], onFailure: [{ target: one }] }
  end: {}
`;

/** A home with a repository, so many tickets and a workflow that goes around for ever. */
export async function homeWith(folder: string, tickets: number, pollIntervalSeconds: number): Promise<Home> {
  const root = await mkdtemp(join(folder, 'r-'));
  const home = homeOf({ RELAY_FLOW_HOME: join(root, 'h') });
  prepareHome(home);
  for (const name of ['app', 'tickets']) mkdirSync(join(root, name));
  execFileSync('git', ['init', '-q', join(root, 'app')]);
  for (let number = 1; number <= tickets; number += 1) writeFileSync(join(root, 'tickets', `T-${number}.md`), `---\ntitle: Ticket ${number}\nstatus: To Do\n---\n\nDo something about ${number}.\n`);
  writeFileSync(home.config, `pollIntervalSeconds: ${pollIntervalSeconds}\nrepos:\n  app:\n    path: ${root}/app\n    taskConfig: { ticketsDir: ${root}/tickets }\n`, { mode: 0o600 });
  replaceStored(home.workflows, { name: 'loop', yaml: LOOP });
  await (await openSqliteJournal({ path: home.database })).close();
  return home;
}
