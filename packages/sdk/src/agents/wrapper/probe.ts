import { FlowsError } from '../../errors/flows-error.js';
import type { ProcessOutcome } from '../../process/port.js';
import { outcomeEvidence, endedHow } from '../outcome-evidence.js';
import { fileIdentity } from '../file-identity.js';
import type { AgentIdentity, ProbeRequest } from '../port.js';
import { wrapperEnvironment } from './environment.js';
import { ended } from '../sentence.js';
import { ADAPTER_ARGUMENT, IDENTITY_LINE, WrapperConversation } from './protocol.js';
import { canceledError } from '../canceled.js';

/** Asks for the identity, then for the sign-in. A model is not asked about: a wrapper refuses an unknown one when it is given it. */
export async function probeWrapper(request: ProbeRequest): Promise<AgentIdentity> {
  // Seen before the first execution, so that a file replaced while it identifies itself is noticed later.
  const file = fileIdentity(request.executable);
  await requireIdentity(request);
  await requireSignIn(request);
  return { executable: request.executable, ...(file === undefined ? {} : { file }) };
}

const GRACE_MS = 1_000;
const QUOTED_BYTES = 8_192;

async function requireIdentity(request: ProbeRequest): Promise<void> {
  const deadlineMs = request.deadlines?.identityMs ?? 10_000;
  const conversation = new WrapperConversation();
  let verdict: 'identified' | { readonly refused: string } | undefined;
  const child = request.supervise({
    ...common(request),
    args: [ADAPTER_ARGUMENT],
    timeoutMs: deadlineMs,
    stdout: {
      retainBytes: QUOTED_BYTES,
      onText: (text) => {
        if (verdict !== undefined) return;
        for (const step of conversation.push(text)) {
          verdict = step === 'executing' ? undefined : step;
          // It knows all there is to know here; what it does with an empty input is its own affair.
          child.stop('outcome_known');
          return;
        }
      },
    },
  });
  const outcome = await child.outcome;
  if (verdict === 'identified') return;
  throwIfNotStarted(request, outcome);
  const why = verdict?.refused ?? (outcome.stopped === 'timeout' ? `did not print ${IDENTITY_LINE} within ${deadlineMs} ms` : conversation.end()?.refused);
  throw new FlowsError('cli_unsupported', `${request.executable} does not speak the wrapper protocol: asked with ${ADAPTER_ARGUMENT}, it ${ended(why ?? endedHow(outcome))}`, {
    hint: `Name a CLI that has an adapter, or a program that answers ${ADAPTER_ARGUMENT} with the line ${IDENTITY_LINE}.`,
    evidence: outcomeEvidence(request, [ADAPTER_ARGUMENT], outcome),
  });
}

async function requireSignIn(request: ProbeRequest): Promise<void> {
  const args = ['auth', 'status'];
  const deadlineMs = request.deadlines?.signInMs ?? 10_000;
  const outcome = await request.supervise({ ...common(request), args, timeoutMs: deadlineMs }).outcome;
  if (outcome.exitCode === 0 && outcome.stopped === undefined) return;
  throwIfNotStarted(request, outcome);
  const evidence = outcomeEvidence(request, args, outcome);
  const command = `${request.executable} auth status`;
  if (outcome.exitCode !== undefined && outcome.stopped === undefined) {
    throw new FlowsError('cli_unauthenticated', `${request.executable} is not signed in: it ${ended(endedHow(outcome))}`, { hint: `Sign it in, then see that this exits with 0: ${command}`, evidence });
  }
  throw new FlowsError('probe_failed', `${command} did not answer: it ${ended(outcome.stopped === 'timeout' ? `ran longer than ${deadlineMs} ms` : endedHow(outcome))}`, {
    hint: 'Run the command by hand to see what it waits for.',
    evidence,
  });
}

function common(request: ProbeRequest) {
  return {
    file: request.executable,
    cwd: request.cwd,
    env: wrapperEnvironment(request.hostEnv),
    marker: request.marker,
    graceMs: GRACE_MS,
    sweep: 'environment',
    stdout: { retainBytes: QUOTED_BYTES, redaction: request.redaction() },
    stderr: { retainBytes: QUOTED_BYTES, redaction: request.redaction() },
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  } as const;
}

function throwIfNotStarted(request: ProbeRequest, outcome: ProcessOutcome): void {
  if (outcome.stopped === 'canceled' || outcome.stopped === 'host_exit') throw canceledError();
  const error = outcome.spawnError;
  if (error === undefined) return;
  throw new FlowsError('cli_unsupported', `${request.executable} cannot be started: ${error.code}, ${ended(error.message)}`, {
    hint: error.code === 'ENOENT' ? 'Its first line names an interpreter that does not exist here.' : 'Run it by hand to see what is wrong.',
    evidence: { path: request.executable, errorCode: error.code },
  });
}
