import { RelayError } from '../../errors/relay-error.js';
import type { StoredRun } from '../../store/rows.js';
import type { Ticket } from '../../task/port.js';
import { logicalRunId } from '../ids.js';
import type { Pollers } from '../poller.js';
import { claimProblem } from '../routing/claim-problem.js';
import { claimLabels, claimsOf, owns } from '../routing/claims.js';
import { route } from '../routing/route.js';
import type { WorkflowBook } from '../workflows/book.js';
import type { OpenRepo, Workshop } from '../workshop.js';

interface TakeClaimParts {
  readonly shop: Workshop;
  readonly workflowBook: WorkflowBook;
  readonly pollers: Pollers;
}

/**
 * Gives a claim that names nobody to this server's owner, and begins the run, because a person said so: nobody but a person can know that no other server walks the
 * ticket. Calling it again, or for a ticket that is ours, changes nothing. Answers with the run; `undefined` where the ticket was canceled and none is begun.
 * Throws `run_unknown`, `run_conflict`, and what the task system throws.
 */
export async function takeClaim({ shop, workflowBook, pollers }: TakeClaimParts, args: { readonly key: string; readonly repo: string | undefined; readonly signal: AbortSignal }): Promise<{ readonly workflow: string; readonly repo: string; readonly run: StoredRun | undefined }> {
  const { repo, ticket } = await find(shop, args);
  const { key } = ticket;
  const { task } = repo;
  const routed = route(ticket, { candidates: workflowBook.candidates(repo.name), owner: task.owner });
  if (routed.type === 'invalid-claim') throw new RelayError('run_conflict', `The claim of ${key} cannot be followed. ${routed.reason}`, { hint: 'Submit the workflow, or correct the labels of the ticket.' });
  if (routed.type === 'no-match' || routed.type === 'claim' || routed.type === 'ambiguous') throw new RelayError('run_conflict', `${key} is claimed by no workflow, so there is nothing to take.`, { hint: 'One that fits a workflow is taken by itself.' });
  if (routed.type === 'claim-owner-mismatch' && routed.ownership !== 'nobody') {
    const [problem] = claimProblem({ repo: repo.name, ticket: key, ...routed });
    throw new RelayError('run_conflict', problem?.text ?? `${key} is claimed by ${routed.workflow} for somebody else.`, { hint: problem?.hint ?? 'Their server works on it. If that is gone for good, remove the label wf-owner: of the ticket in the task system first.' });
  }
  const { workflow } = routed;
  const claimed = await task.claim({ key, labels: claimLabels(workflow, task.owner) });
  if (!owns(claimsOf(claimed.labels), workflow, task)) throw new RelayError('run_conflict', `The claim of ${key} went to somebody else in this moment.`, { hint: 'Look at its labels in the task system.' });
  await pollers.ensureRun(repo, claimed, workflow);
  return { workflow, repo: repo.name, run: shop.store.latestAttempt(logicalRunId({ repo: repo.name, workflow, ticket: key })) };
}

/** By a poll, which knows what belongs to a repository: a key alone would be found in any. */
async function find(shop: Workshop, { key, repo: named, signal }: { readonly key: string; readonly repo: string | undefined; readonly signal: AbortSignal }): Promise<{ readonly repo: OpenRepo; readonly ticket: Ticket }> {
  const repos = named === undefined ? shop.repos.all() : [shop.repos.get(named)];
  const found: { readonly repo: OpenRepo; readonly ticket: Ticket }[] = [];
  for (const repo of repos) {
    const ticket = (await repo.task.poll({ signal })).find((one) => one.key === key);
    if (ticket !== undefined) found.push({ repo, ticket });
  }
  const [only, ...more] = found;
  if (only === undefined) throw new RelayError('run_unknown', `There is no open ticket ${key}${named === undefined ? '' : ` in ${named}`}.`, { hint: 'Look at its key and state in the task system.' });
  if (more.length > 0) throw new RelayError('run_conflict', `Tickets of ${found.map(({ repo }) => repo.name).toSorted().join(' and ')} are called ${key}.`, { hint: 'Say which one with --repo.' });
  // As it is now: what a list says may be a moment old.
  const ticket = await only.repo.task.view({ key });
  if (ticket === undefined) throw new RelayError('run_unknown', `There is no ticket ${key} any more.`);
  return { repo: only.repo, ticket };
}
