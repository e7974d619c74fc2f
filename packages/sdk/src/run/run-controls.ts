import { FlowsError } from '../errors/flows-error.js';
import type { Journal, RunRecord } from '../journal/port.js';
import type { Redactor } from '../ports/redactor.js';
import { answerSignal, CANCEL_SIGNAL, signalNameProblem } from './mailbox-names.js';
import { ownerAlive } from './owner.js';
import { buildReport } from './report-builder.js';
import { inputOf } from './run-input.js';
import type { AnswerRequest, RunStatusView, SignalRequest } from './runtime.js';

const WAIT_ID = /^human-[1-9][0-9]*$/;

/** Records the first answer to an open question. */
export async function answerQuestion(args: { readonly journal: Journal; readonly redact: Redactor; readonly now: number; readonly request: AnswerRequest }): Promise<void> {
  const { journal, request } = args;
  const { runId, waitId } = request;
  if (typeof request.answer !== 'boolean') throw new FlowsError('human_answer_invalid', 'The answer is neither yes nor no.', { hint: 'Answer with true or false.', runId });
  if (typeof request.answeredBy !== 'string' || request.answeredBy.trim() === '') throw new FlowsError('human_answer_invalid', 'Nobody is named as the one who answers.', { hint: 'Say who answers.', runId });
  await existing(journal, runId);
  const history = await journal.history({ runId });
  const open = history.filter((row) => row.wait?.type === 'human' && row.outcome === undefined).map(({ stepId }) => stepId);
  const unknown = (what: string): FlowsError =>
    new FlowsError('human_wait_unknown', what, { hint: open.length === 0 ? 'The run has no open question.' : `Open: ${open.join(', ')}.`, runId, evidence: { open } });
  if (!WAIT_ID.test(waitId) || !history.some(({ stepId }) => stepId === waitId)) throw unknown(`Run ${runId} has no question ${JSON.stringify(waitId)}.`);
  if (!open.includes(waitId)) throw unknown(`Question ${waitId} of run ${runId} is answered or closed already.`);
  const payload = {
    answer: request.answer,
    answeredBy: args.redact.text(request.answeredBy),
    atMs: args.now,
    attribution: 'client_asserted',
    ...(request.note === undefined ? {} : { note: args.redact.text(request.note) }),
  };
  const { accepted } = await journal.signal({ runId, name: answerSignal(waitId), payload, at: args.now, once: true });
  if (!accepted) throw unknown(`Question ${waitId} of run ${runId} was answered before; the first answer counts.`);
}

/** Puts a message of the host into the mailbox of a run. */
export async function sendSignal(args: { readonly journal: Journal; readonly redact: Redactor; readonly now: number; readonly request: SignalRequest }): Promise<{ readonly accepted: boolean }> {
  const { runId, name, payload, once = false } = args.request;
  const problem = signalNameProblem(name);
  if (problem !== undefined) throw new FlowsError('invalid_invocation', `The message to run ${runId} was not sent: ${problem}.`, { hint: 'Use a name that `f.signal` accepts.', runId });
  return args.journal.signal({ runId, name, payload: args.redact.json(inputOf(payload, 'The payload')), at: args.now, once });
}

/** Asks whoever executes a run to cancel it. Answers whether somebody does; a run that nobody executes must be ended by the caller. */
export async function cancelAtRest(args: { readonly journal: Journal; readonly runId: string; readonly now: number }): Promise<boolean> {
  const run = await existing(args.journal, args.runId);
  if (run.completion !== undefined) {
    throw new FlowsError('run_finished', `Run ${run.id} has ended with ${run.completion.reason} and cannot be canceled.`, { hint: 'Nothing is left to stop.', runId: run.id });
  }
  await args.journal.signal({ runId: run.id, name: CANCEL_SIGNAL, payload: null, at: args.now, once: true });
  return run.owner !== undefined && ownerAlive(run.owner) !== false;
}

/** The full id of a run from its beginning. */
export async function findRunId(args: { readonly journal: Journal; readonly idPrefix: string; readonly journalPath: string | undefined }): Promise<string> {
  const { journal, idPrefix, journalPath } = args;
  const found = await journal.list({ idPrefix, limit: 6 });
  const exact = found.find(({ id }) => id === idPrefix) ?? (await journal.run({ runId: idPrefix }));
  if (exact !== undefined) return exact.id;
  const [first, ...others] = found;
  if (first === undefined) throw new FlowsError('run_not_found', `There is no run ${JSON.stringify(idPrefix)} in ${journalPath ?? 'the journal'}.`, { hint: 'List them with `flows runs`.' });
  if (others.length > 0) {
    throw new FlowsError('run_ambiguous', `${JSON.stringify(idPrefix)} fits ${found.length} runs.`, { hint: 'Give more characters of the id.', evidence: { runs: found.map(({ id }) => id) } });
  }
  return first.id;
}

/** What the journal says of a run, without touching it. */
export async function viewStatus(args: { readonly journal: Journal; readonly runId: string; readonly journalPath: string | undefined }): Promise<RunStatusView> {
  const run = await existing(args.journal, args.runId);
  const steps = await args.journal.history({ runId: run.id });
  const alive = run.owner === undefined ? undefined : ownerAlive(run.owner);
  const report = buildReport({
    run, status: run.status, completion: run.completion, rows: steps, warnings: [], wakeAt: run.wakeAt, journalPath: args.journalPath,
    endedAt: run.completion === undefined ? undefined : run.updatedAt,
  });
  return { run, report, steps, ...(alive === undefined ? {} : { ownerAlive: alive }) };
}

async function existing(journal: Journal, runId: string): Promise<RunRecord> {
  const run = await journal.run({ runId });
  if (run === undefined) throw new FlowsError('run_not_found', `There is no run ${JSON.stringify(runId)}.`, { hint: 'List them with `flows runs`.', runId });
  return run;
}
