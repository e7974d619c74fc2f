import { existsSync, renameSync } from 'node:fs';
import { RelayError } from '../errors/relay-error.js';
import type { Home } from '../host/home.js';
import { errorFields } from '../host/server-log.js';
import { mailboxesOf } from './activities/mailboxes.js';
import { attemptId, logicalRunId, toldAttempts } from './ids.js';
import { claimsOf, owns } from './routing/claims.js';
import type { RunManager } from './runs/manager.js';
import type { WorkflowBook } from './workflows/book.js';
import type { Workshop } from './workshop.js';

/** Lays the database aside, with what belongs to it. Answers with the new name; nothing is deleted. */
export function layDatabaseAside(home: Home, now: number): string | undefined {
  const stamp = new Date(now).toISOString().replaceAll(/[-:]/g, '').replace(/\.\d+/, '');
  let name = '';
  for (let index = 0; name === '' || existsSync(`${name}.bak`) || existsSync(`${name}.reports`); index += 1) name = `${home.database}.recover-${stamp}${index === 0 ? '' : `-${index}`}`;
  const moved = ['', '-wal', '-shm'].filter((suffix) => existsSync(`${home.database}${suffix}`));
  for (const suffix of moved) renameSync(`${home.database}${suffix}`, `${name}.bak${suffix}`);
  if (existsSync(home.database)) throw new RelayError('home_unusable', `${home.database} is still there after it was renamed.`, { hint: 'Another program writes it: find and end it, then try again.' });
  // Their runs are not known any more, and those that begin now have the same names.
  if (existsSync(home.reports)) renameSync(home.reports, `${name}.reports`);
  return moved.includes('') ? `${name}.bak` : undefined;
}

/** Begins the runs of all claimed tickets anew, from what the task systems know. One ticket that cannot be brought back does not keep the others. */
export async function recoverTickets(args: { readonly shop: Workshop; readonly workflowBook: WorkflowBook; readonly manager: RunManager; readonly signal: AbortSignal }): Promise<{ readonly recovered: number; readonly failed: number }> {
  const { shop, workflowBook, manager, signal } = args;
  let recovered = 0;
  let failed = 0;
  for (const repo of shop.repos.all()) {
    const tickets = await repo.task.poll({ signal }).catch((error: unknown) => {
      failed += 1;
      shop.log.error('tickets could not be listed for recovery', { repo: repo.name, ...errorFields(error) });
      return [];
    });
    for (const ticket of tickets) {
      const claims = claimsOf(ticket.labels);
      const [name] = claims.workflows;
      if (name === undefined || claims.workflows.length > 1 || !workflowBook.candidates(repo.name).some((candidate) => candidate.name === name)) continue;
      if (!owns(claims, name, repo.task)) continue;
      try {
        const workflow = workflowBook.definition(name);
        const logical = logicalRunId({ repo: repo.name, workflow: name, ticket: ticket.key });
        const told = toldAttempts(await repo.task.markers({ key: ticket.key }), logical);
        if (told.canceled) continue;
        await shop.runner.terminals?.closeAll({ repo: { name: repo.name, path: repo.path }, ticket: ticket.key });
        const mailboxes = await repo.task.ensureMailboxes({ ticket: ticket.key, mailboxes: mailboxesOf(shop, { runId: attemptId(logical, told.latest), input: { flags: [], logicalRunId: logical, attempt: told.latest, repo: repo.name, workflow, ticket: { id: ticket.id, key: ticket.key, title: ticket.title } } }) });
        await repo.task.resetForRecovery({ ticket: ticket.key, mailboxes: Object.values(mailboxes).toSorted() });
        await manager.begin({ repo: repo.name, workflow, ticket: { id: ticket.id, key: ticket.key, title: ticket.title }, attempt: told.latest });
        recovered += 1;
      } catch (error) {
        failed += 1;
        shop.log.error('a ticket could not be recovered', { repo: repo.name, ticket: ticket.key, workflow: name, ...errorFields(error) });
      }
    }
  }
  return { recovered, failed };
}
