import type { RunEvent } from '@relayflows/sdk';
import { cleanLine } from '../text/clean.js';

/** A step that has ended, as far as a story is concerned. */
export interface EndedStep {
  readonly label?: string;
  readonly title: string;
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** What an agent said last. */
  readonly message: string;
  /** Why it failed. */
  readonly error: string;
}

/** What is told of a step. */
export interface Told {
  /** What the flow is at: one word. */
  readonly stage: string;
  readonly text: string;
  readonly good: boolean;
}

/** The roles of agents, and the stage of each. */
const STAGES: Readonly<Record<string, string>> = {
  'check-discovery': 'discover', 'planner': 'plan', 'plan-reviewer': 'plan', 'implementer': 'implement', 'check-repair': 'repair', 'adversary': 'review', 'fixer': 'fix',
};

interface Part {
  /** How the first comment of a shell part begins, which is the title of its step. */
  readonly begins: RegExp;
  readonly stage: string;
  /** Nothing when there is nothing to tell. */
  readonly tell: (answer: string, step: EndedStep) => string | undefined;
  /** The answers that are as one wishes; all when absent. */
  readonly good?: RegExp;
}

const ENDS: Readonly<Record<string, string>> = { pass: 'the checks pass', fail: 'the checks fail', timeout: 'the checks did not end in time', none: 'there are no checks', unrunnable: 'the checks cannot be run' };

/** The shell parts of the garden that say something to a spectator; the first that fits tells. */
export const PARTS: readonly Part[] = [
  { begins: /^Names a branch/, stage: 'prepare', tell: (base, { stderr }) => `the branch ${/branch (\S+)/.exec(stderr)?.[1] ?? 'that is checked out'} grows from commit ${base.slice(0, 7)}` },
  { begins: /^Keeps the working files/, stage: 'prepare', tell: () => 'the flow\'s own files will stay out of commits' },
  { begins: /^Keeps the check script for later runs/, stage: 'discover', tell: (answer) => (answer === 'restored' ? 'the check script of an earlier run still fits' : undefined) },
  { begins: /^Whether the branch changes anything/, stage: 'implement', tell: (answer) => (answer === 'unchanged' ? 'the branch changes nothing, so nothing is checked, pushed or opened' : undefined) },
  { begins: /^Runs the check script on the base/, stage: 'check', tell: (answer) => `on the base commit: ${ENDS[answer] ?? answer}`, good: /^(pass|none)$/ },
  { begins: /^Runs the check script/, stage: 'check', tell: (answer) => ENDS[answer] ?? `the checks: ${answer}`, good: /^(pass|none)$/ },
  { begins: /^Whether there is something to publish/, stage: 'publish', tell: (answer) => (answer === 'no-commits' ? 'nothing was committed, so there is nothing to publish' : undefined), good: /^(publish|no-summary)$/ },
  { begins: /^Writes what the checks said/, stage: 'publish', tell: () => 'the description says what changed and what the checks say' },
  { begins: /^Pushes the branch/, stage: 'publish', tell: (answer) => ({ 'pushed': 'pushed to origin, and read back from there', 'up-to-date': 'origin has the branch already', 'pushed-without-workflows': 'pushed, without its workflow files' })[answer] ?? 'the push failed', good: /^(pushed|up-to-date)/ },
  { begins: /^Opens the change request/, stage: 'publish', tell: (answer) => (answer === 'failed' ? 'no change request could be opened' : 'the change request is open'), good: /:\/\// },
  { begins: /^if \[ -s review\.md \]/, stage: 'review', tell: (answer) => ({ clean: 'the review is clean', findings: 'the review is not clean, so it goes back to the builder' })[answer] ?? 'the review came to no verdict', good: /^clean$/ },
  { begins: /^Turns the change back/, stage: 'publish', tell: () => 'the change request is a draft again, with what the review found' },
];

/** What a spectator is told of a step; `undefined` for one that only moves things along. Pure. */
export function tellStep(step: EndedStep): Told | undefined {
  const { label, title, ok, stdout, message, error } = step;
  if (label !== undefined && label in STAGES) {
    const [first = ''] = message.split('\n');
    return { stage: STAGES[label] ?? '', text: cleanLine(`${label}: ${ok ? first : error}`), good: ok };
  }
  const part = PARTS.find(({ begins }) => begins.test(title));
  if (!ok) return { stage: part?.stage ?? '', text: cleanLine(`${title}: ${error}`), good: false };
  const answer = stdout.trim().split('\n').at(-1) ?? '';
  const text = part?.tell(answer, step);
  if (part === undefined || text === undefined) return undefined;
  return { stage: part.stage, text: cleanLine(text), good: part.good?.test(answer) ?? true };
}

/** Gathers what steps say, and tells each when it ends. */
export class Story {
  readonly #steps = new Map<string, { title: string; label?: string; stdout: string; stderr: string; message: string }>();

  /** The step that runs, and the one that an event ends. */
  hear(event: RunEvent): Told | undefined {
    if (event.type === 'step.started') {
      const { stepId, title, label } = event;
      this.#steps.set(stepId, { title, stdout: '', stderr: '', message: '', ...(label === undefined ? {} : { label }) });
      return undefined;
    }
    const step = 'stepId' in event && event.stepId !== undefined ? this.#steps.get(event.stepId) : undefined;
    if (step === undefined) return undefined;
    if (event.type === 'step.output') step[event.stream] += event.text;
    if (event.type === 'step.agent' && event.event.type === 'message') step.message = event.event.text;
    if (event.type !== 'step.completed') return undefined;
    this.#steps.delete(event.stepId);
    return tellStep({ ...step, ok: event.ok, error: event.error?.text ?? 'it failed' });
  }

  /** Who or what is at work now, for a line that is repainted. */
  get now(): { readonly stage: string; readonly text: string } | undefined {
    for (const { label, title } of this.#steps.values()) {
      if (label !== undefined && label in STAGES) return { stage: STAGES[label] ?? '', text: `${label} is at work` };
      const part = PARTS.find(({ begins }) => begins.test(title));
      if (part !== undefined) return { stage: part.stage, text: cleanLine(title) };
    }
    return undefined;
  }
}
