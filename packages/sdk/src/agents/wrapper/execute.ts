import type { ProcessOutcome, SupervisedProcess } from '../../process/port.js';
import { resetTime } from '../driver/reset-time.js';
import { fileIdentity, sameFile } from '../file-identity.js';
import { endedHow, lastLine, outcomeEvidence } from '../outcome-evidence.js';
import type { AgentFailure, AgentOutcome, AgentRequest, AgentTurn } from '../port.js';
import { usageLimitLine } from '../usage-limit.js';
import { wrapperEnvironment } from './environment.js';
import { ADAPTER_ARGUMENT, IDENTITY_LINE, readAnswer, requestLine, WrapperConversation } from './protocol.js';

/** What a wrapper may print in one turn, standard output and standard error together. */
const OUTPUT_LIMIT = 1_048_576;
const IDENTITY_DEADLINE_MS = 10_000;
const GRACE_MS = 1_000;
const DRAIN_MS = 250;
const QUOTED_BYTES = 16_384;

export async function executeWrapper(request: AgentRequest): Promise<AgentTurn> {
  const conversation = new WrapperConversation();
  let printed = 0;
  let refused: string | undefined;

  const refuse = (why: string): void => {
    refused ??= why;
    child.stop(printed > OUTPUT_LIMIT ? 'output_limit' : 'outcome_known');
  };
  const count = (text: string): void => {
    printed += Buffer.byteLength(text);
    if (printed > OUTPUT_LIMIT && refused === undefined) refuse(`printed more than ${OUTPUT_LIMIT} bytes`);
  };
  // Redacted by hand: the answer has to be read, and the bytes counted, as they were written.
  const stdout = new RedactedTail(request);
  const stderr = new RedactedTail(request);

  const child: SupervisedProcess = request.supervise({
    file: request.identity.executable,
    args: [ADAPTER_ARGUMENT],
    cwd: request.cwd,
    env: wrapperEnvironment(request.hostEnv, request.runEnv),
    marker: request.marker,
    input: { open: true },
    graceMs: GRACE_MS,
    drainMs: DRAIN_MS,
    sweep: 'environment',
    ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.onSpawn === undefined ? {} : { onSpawn: request.onSpawn }),
    stdout: {
      retainBytes: 0,
      onText: (text) => {
        count(text);
        stdout.push(text);
        if (refused !== undefined) return;
        for (const step of conversation.push(text)) {
          if (typeof step === 'object') refuse(step.refused);
          else if (step === 'identified') deliver();
        }
      },
    },
    stderr: {
      retainBytes: 0,
      onText: (text) => {
        count(text);
        const redacted = stderr.push(text);
        if (redacted !== '') request.onEvent({ type: 'other', name: 'stderr', detail: redacted });
      },
    },
  });

  const deliver = (): void => {
    clearTimeout(identityDeadline);
    const seen = request.identity.file;
    const now = fileIdentity(request.identity.executable);
    if (seen !== undefined && (now === undefined || !sameFile(seen, now))) {
      refuse('was replaced or edited after it had been checked');
      return;
    }
    child.write(requestLine({ instruction: request.task, model: request.model, wakeContext: request.wakeContext }));
    child.closeInput();
  };
  const identityDeadline = setTimeout(() => refuse(`did not print ${IDENTITY_LINE} within ${IDENTITY_DEADLINE_MS} ms`), IDENTITY_DEADLINE_MS);

  const ended = await child.outcome;
  clearTimeout(identityDeadline);
  const process: ProcessOutcome = { ...ended, stdout: { ...ended.stdout, text: stdout.end() }, stderr: { ...ended.stderr, text: stderr.end() } };
  const verdict = judge({ request, process, conversation, refused });
  if (verdict.outcome.class === 'success' && verdict.outcome.message !== '') request.onEvent({ type: 'message', text: verdict.outcome.message });
  if (verdict.usage !== undefined) request.onEvent({ type: 'usage', ...verdict.usage });
  return { ...verdict, warnings: [], process };
}

interface Ended {
  readonly request: AgentRequest;
  readonly process: ProcessOutcome;
  readonly conversation: WrapperConversation;
  readonly refused: string | undefined;
}

function judge(ended: Ended): Pick<AgentTurn, 'outcome' | 'usage'> {
  const { process, conversation, request } = ended;
  const failure = (text: string, hint?: string): AgentFailure => ({
    text: `${request.identity.executable} ${text}`,
    ...(hint === undefined ? {} : { hint }),
    evidence: outcomeEvidence({ executable: request.identity.executable, cwd: request.cwd }, [ADAPTER_ARGUMENT], process),
  });
  const failed = (text: string, hint?: string): { outcome: AgentOutcome } => ({ outcome: { class: 'failed', code: 'worker_error', ...failure(text, hint) } });

  if (process.spawnError !== undefined) return notStarted(process.spawnError, failure);
  if (process.stopped === 'canceled' || process.stopped === 'host_exit') return { outcome: { class: 'canceled' } };
  if (ended.refused !== undefined) return failed(ended.refused);
  if (process.stopped === 'timeout') {
    const said = conversation.answer.trim();
    return { outcome: { class: 'timeout', ...(said === '' ? {} : { message: said }) } };
  }
  if (process.exitCode === 0) {
    const protocol = conversation.end();
    if (protocol !== undefined) return failed(protocol.refused);
    const answer = readAnswer(conversation.answer);
    if ('malformed' in answer) return failed(`answered, but ${answer.malformed}`, 'A usage is {"input_tokens": n, "output_tokens": n} with whole numbers.');
    const { message, usage } = answer;
    return { outcome: { class: 'success', message }, ...(usage === undefined ? {} : { usage }) };
  }
  const limit = usageLimitLine(process.stderr.text) ?? usageLimitLine(process.stdout.text);
  if (limit !== undefined) {
    const resetsAt = resetTime(limit, request.now());
    return { outcome: { class: 'failed', code: 'provider_usage_limited', ...(resetsAt === undefined ? {} : { resetsAt }), ...failure(`reports a usage limit: ${lastLine(limit)}`, 'Wait until the limit resets or use another model, then run the flow again.') } };
  }
  const lost = process.exitCode === undefined || process.inputError !== undefined;
  return lost ? { outcome: { class: 'lost', ...failure(endedHow(process)) } } : failed(endedHow(process));
}

function notStarted(error: NonNullable<ProcessOutcome['spawnError']>, failure: (text: string) => AgentFailure): { outcome: AgentOutcome } {
  const facts = failure(`could not be started: ${error.code}, ${error.message}`);
  return { outcome: error.transient ? { class: 'lost', ...facts } : { class: 'failed', code: 'worker_error', ...facts } };
}

/** The redacted end of a stream. */
class RedactedTail {
  readonly #redaction: ReturnType<AgentRequest['redaction']>;
  #text = '';

  constructor(request: AgentRequest) {
    this.#redaction = request.redaction();
  }

  /** Answers with what can be shown by now. */
  push(text: string): string {
    const redacted = this.#redaction.push(text);
    this.#text = (this.#text + redacted).slice(-QUOTED_BYTES);
    return redacted;
  }

  end(): string {
    return (this.#text + this.#redaction.end()).slice(-QUOTED_BYTES);
  }
}
