import { FlowsError } from '../errors/flows-error.js';
import type { OwnerIdentity, RunRecord } from './port.js';

/** The refusals that every journal words alike. */
export function runExists(runId: string): FlowsError {
  return new FlowsError('run_exists', `A run ${runId} exists already.`, { hint: 'Let the runtime choose the id, or resume the existing run.', runId });
}

export function runNotFound(runId: string): FlowsError {
  return new FlowsError('run_not_found', `The journal has no run ${runId}.`, { hint: 'List the runs of this journal, or name another data directory.', runId });
}

export function runFinished(runId: string, status: RunRecord['status']): FlowsError {
  return new FlowsError('run_finished', `Run ${runId} has ended (${status}).`, { hint: 'Start a new run.', runId, evidence: { status } });
}

export function runOwned(args: { readonly runId: string; readonly epoch: number; readonly owner: OwnerIdentity; readonly leaseUntil: number | undefined }): FlowsError {
  const { runId, epoch, owner, leaseUntil } = args;
  return new FlowsError('run_owned', `Run ${runId} is being executed by process ${owner.pid} on ${owner.host}.`, {
    hint: 'Wait until that process ends, or stop it; the run can then be resumed.',
    runId,
    evidence: { owner, epoch, ...(leaseUntil === undefined ? {} : { leaseUntil }) },
  });
}

export function staleOwner(runId: string, epoch: number): FlowsError {
  return new FlowsError('stale_owner', `Claim ${epoch} on run ${runId} has ended, so its holder may no longer write.`, {
    hint: 'Another process has taken the run over, or the run was parked or finished; look at its status.',
    runId,
    evidence: { epoch },
  });
}

export function journalClosed(): FlowsError {
  return new FlowsError('journal_unavailable', 'The journal is closed.', { hint: 'Open it again.' });
}
