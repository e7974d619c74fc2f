import type { RunEvent, Spend } from '@relayflows/sdk';
import { isSilent } from '../execution/observer.js';
import { agentEventText } from '../text/agent-event.js';
import { cleanLine, cleanText } from '../text/clean.js';
import { stepTitle } from '../text/step-title.js';

/** How many lines of output a running step keeps for the view. */
const KEPT_LINES = 50;
/** How much of a line without an end is kept: nobody's terminal is wider. */
const LONGEST_LINE = 2_000;

/** What the view of a run knows. Every text is clean. */
export interface ViewState {
  /** Steps that run or wait, in the order in which they began. */
  readonly live: Map<string, LiveStep>;
  finished: number;
  failed: number;
  spent: Spend;
  phase: string | undefined;
  startedAt: number | undefined;
}

export interface LiveStep {
  readonly stepId: string;
  readonly title: string;
  startedAt: number;
  attempt: number;
  spend: Spend | undefined;
  /** The phase the flow was in when the step began. */
  readonly phase: string | undefined;
  /** When it wrote last. */
  wroteAt: number;
  /** The last lines it wrote, or its agent said. */
  readonly output: string[];
  /** An unfinished line of each stream. */
  readonly unfinished: Map<string, string>;
  wait: { readonly wait: 'human' | 'timer' | 'signal'; readonly dueAt?: number; readonly question?: string } | undefined;
  retryAt: number | undefined;
}

export function emptyView(): ViewState {
  return { live: new Map(), finished: 0, failed: 0, spent: { wallclock: 0, tokens: 0, microDollars: 0 }, phase: undefined, startedAt: undefined };
}

/** Takes an event in, and answers with the step it ended, if it ended one. */
export function absorb(view: ViewState, event: RunEvent): LiveStep | undefined {
  switch (event.type) {
    case 'run.started':
      view.startedAt = event.at;
      return undefined;
    case 'step.started':
      if (!isSilent(event.kind)) begin(view, event);
      return undefined;
    case 'step.output':
      change(view, event.stepId, (step) => {
        addOutput(step, event.stream, event.text);
        step.wroteAt = event.at;
      });
      return undefined;
    case 'step.agent':
      change(view, event.stepId, (step) => {
        addAgentEvent(step, event.event);
        step.wroteAt = event.at;
      });
      return undefined;
    case 'step.progress':
      change(view, event.stepId, (step) => (step.spend = event.spend));
      return undefined;
    case 'step.retrying':
      change(view, event.stepId, (step) => {
        step.retryAt = event.at + event.delayMs;
        addLine(step, cleanLine(`[${event.error.code}] ${event.error.text}`));
      });
      return undefined;
    case 'wait.opened':
      openWait(view, event);
      return undefined;
    case 'phase':
      view.phase = cleanLine(event.name);
      return undefined;
    case 'step.completed':
      return end(view, event);
    case 'run.replayed':
    case 'warning':
    case 'run.parked':
    case 'run.completed':
      return undefined;
  }
}

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>;

function begin(view: ViewState, event: EventOf<'step.started'>): void {
  const known = view.live.get(event.stepId);
  if (known !== undefined) {
    known.attempt = event.attempt;
    known.retryAt = undefined;
    return;
  }
  const phase = event.phase === undefined ? view.phase : cleanLine(event.phase);
  view.live.set(event.stepId, newStep({ stepId: event.stepId, title: stepTitle(event), startedAt: event.at, attempt: event.attempt, phase }));
}

function newStep(step: Pick<LiveStep, 'stepId' | 'title' | 'startedAt' | 'attempt' | 'phase'>): LiveStep {
  return { ...step, wroteAt: step.startedAt, spend: undefined, output: [], unfinished: new Map(), wait: undefined, retryAt: undefined };
}

function openWait(view: ViewState, event: EventOf<'wait.opened'>): void {
  const title = event.question === undefined ? '' : cleanLine(event.question);
  const step = view.live.get(event.stepId) ?? newStep({ stepId: event.stepId, title, startedAt: event.at, attempt: 1, phase: view.phase });
  step.wait = { wait: event.wait, ...(event.dueAt === undefined ? {} : { dueAt: event.dueAt }), ...(title === '' ? {} : { question: title }) };
  view.live.set(event.stepId, step);
}

function change(view: ViewState, stepId: string, apply: (step: LiveStep) => void): void {
  const step = view.live.get(stepId);
  if (step !== undefined) apply(step);
}

function end(view: ViewState, event: EventOf<'step.completed'>): LiveStep | undefined {
  const step = view.live.get(event.stepId);
  view.live.delete(event.stepId);
  view.finished += 1;
  if (!event.ok) view.failed += 1;
  if (event.spend !== undefined) view.spent = sum(view.spent, event.spend);
  return step ?? (isSilent(event.kind) ? undefined : newStep({ stepId: event.stepId, title: cleanLine(event.label ?? ''), startedAt: event.at - event.durationMs, attempt: 1, phase: view.phase }));
}

/** What the run has cost so far, running steps included. */
export function costSoFar(view: ViewState): Spend {
  let total = view.spent;
  for (const { spend } of view.live.values()) if (spend !== undefined) total = sum(total, spend);
  return total;
}

function sum(a: Spend, b: Spend): Spend {
  return {
    wallclock: a.wallclock + b.wallclock,
    tokens: a.tokens + b.tokens,
    microDollars: a.microDollars + b.microDollars,
    ...(a.unmetered === true || b.unmetered === true ? { unmetered: true } : {}),
  };
}

function addOutput(step: LiveStep, stream: string, text: string): void {
  const lines = ((step.unfinished.get(stream) ?? '') + text).split('\n');
  step.unfinished.set(stream, (lines.pop() ?? '').slice(-LONGEST_LINE));
  for (const line of lines) addLine(step, cleanText(line).replaceAll('\t', '  ').trimEnd());
}

function addAgentEvent(step: LiveStep, event: EventOf<'step.agent'>['event']): void {
  const text = agentEventText(event);
  // A message keeps its lines; of anything else, such as a command over many, one is enough.
  for (const line of event.type === 'message' ? cleanText(text).split('\n') : [cleanLine(text)]) addLine(step, line);
}

function addLine(step: LiveStep, line: string): void {
  if (line === '') return;
  step.output.push(line);
  if (step.output.length > KEPT_LINES) step.output.splice(0, step.output.length - KEPT_LINES);
}

/** The last lines a step wrote, one that has no end yet included. */
export function lastLines(step: LiveStep, count: number): string[] {
  const unfinished = [...step.unfinished.values()].map((line) => cleanLine(line)).filter((line) => line !== '');
  return [...step.output, ...unfinished].slice(-count);
}
