import { relative } from 'node:path';
import { cliAdapters } from '../agents/clis/index.js';
import type { AgentAdapter, AgentFailureCode, AgentOutcome, AgentRequest, AgentTurn } from '../agents/port.js';
import { wrapperAdapter } from '../agents/wrapper/adapter.js';
import { readTalk } from './answers.js';
import type { AgentCall, LlmCall } from './script.js';
import type { SimulatedFiles } from './simulated-files.js';
import type { Played, Stage } from './stage.js';

/** The CLIs that a runtime knows, able to do what each is able to do, with the script in their place. `nameOf` gives the label of a step. */
export function simulatedAgents(args: { readonly stage: Stage; readonly files: SimulatedFiles; readonly nameOf: (stepId: string) => string }): readonly AgentAdapter[] {
  const { stage, files, nameOf } = args;
  let sessions = 0;

  async function converse(request: AgentRequest, adapter: AgentAdapter): Promise<AgentTurn> {
    const { marker, cwd, timeoutMs } = request;
    const sessionId = adapter.abilities.resume === 'no' ? undefined : (request.session?.id ?? `session-${(sessions += 1)}`);
    if (sessionId !== undefined) request.onEvent({ type: 'session', sessionId });
    const played = await stage.play<AgentCall>({
      call: {
        kind: 'agent', id: marker.stepId, attempt: marker.attempt, name: nameOf(marker.stepId), task: request.task, cli: request.identity.executable, cwd: relative(files.root, cwd) || '.',
        ...(request.model === undefined ? {} : { model: request.model }),
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
        ...(request.session?.kind === 'resume' ? { resume: request.session.id } : {}),
      },
      read: (answer) => readTalk('agent', answer),
      timeoutMs,
      signal: request.signal,
    });
    files.addOfAgent(marker.stepId, cwd, played.answer.artifacts);
    return turnOf(played, sessionId);
  }

  async function reply(request: AgentRequest): Promise<AgentTurn> {
    const { marker } = request;
    const played = await stage.play<LlmCall>({
      call: {
        kind: 'llm', id: marker.stepId, attempt: marker.attempt, prompt: request.task, cli: request.identity.executable,
        ...(request.model === undefined ? {} : { model: request.model }),
        ...(request.schema === undefined ? {} : { output: request.schema }),
      },
      read: (answer) => readTalk('llm', answer),
      timeoutMs: request.timeoutMs,
      signal: request.signal,
    });
    return turnOf(played, undefined);
  }

  return [...cliAdapters, wrapperAdapter].map((adapter) => ({
    name: adapter.name,
    abilities: adapter.abilities,
    ...(adapter.install === undefined ? {} : { install: adapter.install }),
    matches: (name) => adapter.matches(name),
    probe: async ({ executable }) => ({ executable }),
    execute: (request) => (request.mode === 'agent' ? converse(request, adapter) : reply(request)),
  }));
}

function turnOf({ ending, answer }: Played, sessionId: string | undefined): AgentTurn {
  return {
    outcome: outcomeOf({ ending, answer }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(answer.usage === undefined ? {} : { usage: answer.usage }),
    warnings: [],
  };
}

function outcomeOf({ ending, answer: { ends } }: Played): AgentOutcome {
  const message = ends.how !== 'message' ? undefined : typeof ends.message === 'string' ? ends.message : JSON.stringify(ends.message);
  if (ending === 'canceled') return { class: 'canceled' };
  if (ending === 'timeout') return { class: 'timeout', ...(message === undefined || message === '' ? {} : { message }) };
  if (ends.how === 'signal') return { class: 'lost', text: `It was ended by ${ends.signal}.` };
  if (ends.how === 'error') return { class: 'failed', code: (ends.code ?? 'worker_error') as AgentFailureCode, text: ends.error };
  return { class: 'success', message: message ?? '' };
}
