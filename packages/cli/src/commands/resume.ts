import { createRuntime, FlowsError, sealFlow, type ResumeRequest, type Runtime, type SealedFlow } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { executeRun } from '../execution/execute-run.js';
import { dataDirOf, executingOptions, requireJournal } from '../runs/data-dir.js';
import { findRun } from '../runs/find-run.js';

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values, switches } } = context;
  const release = releaseOf(context);
  const dataDir = dataDirOf(context);
  requireJournal(dataDir);
  return executeRun({
    context,
    path: null,
    open: (options) => createRuntime({ ...executingOptions(context, dataDir), ...options }),
    async start(runtime) {
      const runId = await findRun(runtime, values['run-id'] ?? '');
      const flow = switches.has('current-source') ? await currentSource(runtime, runId) : undefined;
      return runtime.resume(runId, { ...(release === undefined ? {} : { release }), ...(flow === undefined ? {} : { flow }) });
    },
  });
}

function releaseOf({ invocation: { values, switches } }: CommandContext): ResumeRequest['release'] {
  const stepId = values['step'];
  const [rerun, fail] = [switches.has('rerun'), switches.has('fail')];
  if (stepId === undefined && !rerun && !fail) return undefined;
  if (stepId === undefined || rerun === fail) {
    throw new FlowsError('invalid_invocation', '`--step` goes with exactly one of `--rerun` and `--fail`.', {
      hint: 'For example: `flows resume last --step agent-2 --rerun`.',
    });
  }
  return { stepId, decision: rerun ? 'rerun' : 'fail' };
}

async function currentSource(runtime: Runtime, runId: string): Promise<SealedFlow> {
  const { run } = await runtime.status(runId);
  if (run.source.kind === 'sealed') return sealFlow(run.source.path);
  throw new FlowsError('invalid_invocation', `The run ${runId} belongs to a flow registered by a host, so it has no file.`, {
    hint: 'Resume it in the service that registered the flow.',
    runId,
  });
}
