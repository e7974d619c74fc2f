import type { RunEvent, StepFailure } from '@relayflows/sdk';
import type { Output } from '../io.js';
import { agentEventText } from '../text/agent-event.js';
import { cleanLine, cleanText } from '../text/clean.js';
import { counted, duration, moment, money, tokensUsed } from '../text/quantities.js';
import { stepTitle } from '../text/step-title.js';
import { isSilent, phaseLine, type Observer } from './observer.js';
import { StepOutputs } from './step-outputs.js';

/** Progress where nothing can be repainted: one line when a step starts and one when it ends. */
export function plainProgress(stderr: Output, { verbose }: { readonly verbose: boolean }): Observer {
  const outputs = new StepOutputs((stepId, line) => stderr.write(`${stepId} | ${cleanText(line)}\n`));
  return {
    event(event) {
      if (event.type === 'step.output' && verbose) outputs.push(event);
      if (event.type === 'step.completed') outputs.end(event.stepId);
      const line = progressLine(event, { verbose });
      if (line !== undefined) stderr.write(`${line}\n`);
    },
    print: (text) => stderr.write(text),
    close() {},
  };
}

/** One line for an event, or nothing where the event says nothing new to a reader of a log. */
export function progressLine(event: RunEvent, { verbose = false }: { readonly verbose?: boolean } = {}): string | undefined {
  switch (event.type) {
    case 'run.started':
      return `run ${event.runId} (${cleanLine(event.flowName)}) ${event.resumed ? 'resumed' : 'started'} in ${cleanLine(event.cwd)}`;
    case 'run.replayed':
      return event.steps === 0 ? undefined : `${counted(event.steps, 'finished step')} handed back`;
    case 'step.started':
      if (isSilent(event.kind)) return undefined;
      return `${event.stepId} started${event.attempt > 1 ? ` (attempt ${event.attempt})` : ''}: ${stepTitle(event)}`;
    case 'step.retrying':
      return `${event.stepId} failed, attempt ${event.attempt} in ${duration(event.delayMs)}:${because(event.error)}`;
    case 'step.completed':
      return isSilent(event.kind) ? undefined : completedLine(event);
    case 'step.agent':
      return verbose ? agentLine(event) : undefined;
    case 'wait.opened':
      return waitLine(event);
    case 'phase':
      return phaseLine(event.name);
    case 'step.output':
    case 'step.progress':
    case 'warning':
    case 'run.parked':
    case 'run.completed':
      return undefined;
  }
}

function completedLine(event: RunEvent & { readonly type: 'step.completed' }): string {
  const cost = event.spend === undefined ? '' : money(event.spend);
  const after = [duration(event.durationMs), tokensUsed(event.spend), cost].filter((part) => part !== '').join(', ');
  if (event.ok) return `${event.stepId} done in ${after}${event.exitCode === undefined || event.exitCode === 0 ? '' : ` (exit code ${event.exitCode})`}`;
  return `${event.stepId} failed after ${after}${because(event.error)}`;
}

function because(error: StepFailure | undefined): string {
  return error === undefined ? '' : ` [${error.code}] ${cleanLine(error.text)}`;
}

function agentLine({ stepId, event }: RunEvent & { readonly type: 'step.agent' }): string | undefined {
  const text = cleanLine(agentEventText(event));
  return text === '' ? undefined : `${stepId} | ${text}`;
}

function waitLine(event: RunEvent & { readonly type: 'wait.opened' }): string {
  if (event.wait === 'human') return `${event.stepId} asks ${cleanLine(event.to ?? 'somebody')}: ${cleanLine(event.question ?? '')}`;
  if (event.dueAt === undefined) return `${event.stepId} waits for a message`;
  return `${event.stepId} sleeps until ${moment(event.dueAt, event.at)} (${duration(event.dueAt - event.at)})`;
}
