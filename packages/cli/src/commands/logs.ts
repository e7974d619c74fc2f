import { setTimeout as delay } from 'node:timers/promises';
import { FlowsError, type RunStatusView, type Runtime, type StepRecord } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { EXIT } from '../report/exit-status.js';
import { dataDirOf, withRuns } from '../runs/data-dir.js';
import { findRun } from '../runs/find-run.js';
import { findStep } from '../runs/find-step.js';
import { LogPrinter } from '../runs/log-printer.js';
import { logsOf, type StepLog } from '../runs/step-logs.js';

/** Milliseconds between two looks at a run that is followed. */
const LOOK_AGAIN = 250;

interface Wanted {
  readonly dataDir: string;
  readonly stepId: string | undefined;
  readonly attempt: number | undefined;
}

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values, switches } } = context;
  const wanted: Wanted = {
    dataDir: dataDirOf(context),
    stepId: values['step'],
    attempt: values['attempt'] === undefined ? undefined : Number(values['attempt']),
  };
  if (wanted.attempt !== undefined && wanted.stepId === undefined) {
    throw new FlowsError('invalid_invocation', '`--attempt` needs a step.', { hint: 'For example: `flows logs last run-2 --attempt 1`.' });
  }
  return withRuns(context, wanted.dataDir, async (runtime) => {
    const runId = await findRun(runtime, values['run-id'] ?? '');
    if (switches.has('follow')) await followLogs(context, runtime, runId, wanted);
    else await printLogs(context, await runtime.status(runId), wanted);
    return EXIT.success;
  });
}

async function printLogs({ io, style }: CommandContext, view: RunStatusView, wanted: Wanted): Promise<void> {
  const steps = wanted.stepId === undefined ? view.steps : [findStep(view, wanted.stepId)];
  const logs = steps.flatMap((step) => logsOfStep(view, step, wanted));
  const printer = new LogPrinter(io, wanted.stepId === undefined ? 'together' : 'apart');
  for (const [index, log] of logs.entries()) {
    if (wanted.stepId === undefined) io.stdout.write(`${index === 0 ? '' : '\n'}==> ${log.stepId} ${log.stream} <==\n`);
    await printer.copy(log);
    printer.end();
  }
  if (logs.length > 0) return;
  const what = wanted.stepId === undefined ? `The run ${view.run.id}` : `${wanted.stepId} of the run ${view.run.id}`;
  io.stderr.write(`${what} has printed nothing. What its steps gave back: ${style.command(`replay ${view.run.id}`)}\n`);
}

async function followLogs({ io, style }: CommandContext, runtime: Runtime, runId: string, wanted: Wanted): Promise<void> {
  const printer = new LogPrinter(io, wanted.stepId === undefined ? 'prefixed' : 'apart');
  const { gone } = io.stdout;
  const drained = new Set<string>();
  while (!gone.aborted) {
    const view = await runtime.status(runId);
    const running = view.run.status === 'running' && view.ownerAlive !== false;
    const steps = stepsToFollow(view, wanted.stepId, running).filter(({ stepId }) => !drained.has(stepId));
    for (const step of steps) {
      for (const log of logsOfStep(view, step, wanted)) await printer.copy(log);
      // It was seen finished before its log was read, so the log was complete.
      if (step.outcome !== undefined) drained.add(step.stepId);
    }
    if (!running) {
      printer.end();
      const how = view.run.status === 'running' ? `has lost its process: ${style.command(`resume ${runId}`)}` : `is ${view.run.status}`;
      io.stderr.write(`The run ${runId} ${how}\n`);
      return;
    }
    await delay(LOOK_AGAIN, undefined, { signal: gone }).catch(() => undefined);
  }
}

/** A step that a running run has not come to yet is waited for. */
function stepsToFollow(view: RunStatusView, stepId: string | undefined, running: boolean): readonly StepRecord[] {
  if (stepId === undefined) return view.steps;
  const step = view.steps.find((candidate) => candidate.stepId === stepId);
  if (step !== undefined) return [step];
  return running ? [] : [findStep(view, stepId)];
}

function logsOfStep({ run }: RunStatusView, step: StepRecord, { dataDir, attempt }: Wanted): StepLog[] {
  return logsOf({ dataDir, runId: run.id, step, attempt });
}
