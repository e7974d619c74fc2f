import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSealed, sealFlow, type LoadedFlow } from '@relayflows/sdk';
import { simulate, type AgentAnswer, type AgentCall, type RunAnswer, type RunCall, type SimulateOptions, type Simulation } from '@relayflows/sdk/testing';
import { generate, type Workflow } from '../../src/index.js';
import { shellPartBody } from '../../src/shell/parts.js';

export const MINUTE = 60_000;
const FOREVER = 24 * 60 * MINUTE;
const BASE = '0123456789012345678901234567890123456789';

/** How long things take and how they end. */
export interface Timing {
  /**
   * Minutes of each agent; `limit` exactly what it may take, `stopped` more than that, `lost` that it ends without a word then, `crash` that the process
   * of the run dies a minute before, in the turn of the implementer.
   */
  readonly agents: number | 'limit' | 'stopped' | 'lost' | 'crash';
  /** Minutes of the checks; `hung` that even their step has to be stopped. */
  readonly checks: number | 'hung';
  /** How often the checks fail before a repair helps. */
  readonly failures: number;
  readonly base: 'pass' | 'fail';
  /** Of everything that only asks git, pushes or speaks to the forge. */
  readonly small: 'instant' | 'limit' | 'hung';
  /** What names the branch takes as long, but is not stopped at its limit: a run that has no branch ends there. */
  readonly branch?: boolean;
  /** How often a review finds something. */
  readonly findings: number;
}

const PARTS = ['start', 'exclude', 'check-resolve', 'check-remember', 'check-run', 'base-check', 'change-check', 'needs-input', 'drop', 'publish-check', 'check-report', 'change-metadata', 'push', 'open-change', 'review-blocked', 'finish'] as const;
type Part = (typeof PARTS)[number];
/** A part is told by its first line, which lists of steps show too. */
const NAMES = new Map<string, Part>(PARTS.map((name) => [shellPartBody(name).trim().split('\n', 1)[0] ?? '', name]));

/** Which shell part a command is; `undefined` for a command of the flow itself. */
export function partOf({ command }: Pick<RunCall, 'command'>): Part | undefined {
  return NAMES.get(command.split('\n', 1)[0] ?? '');
}

const loaded = new Map<Workflow, Promise<LoadedFlow>>();

async function load(workflow: Workflow): Promise<LoadedFlow> {
  const folder = mkdtempSync(join(tmpdir(), 'relayflows-plan-'));
  try {
    const file = join(folder, 'garden.flow.ts');
    writeFileSync(file, generate({ version: 1, sources: [{ kind: 'github' }], agents: ['claude', 'codex'], workflow }));
    return await loadSealed(await sealFlow(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Simulates the generated flow of a workflow in a world of such timing. */
export async function play(workflow: Workflow, timing: Timing, options: Pick<SimulateOptions, 'crashAfter'> = {}): Promise<Simulation> {
  const flow = loaded.get(workflow) ?? load(workflow);
  loaded.set(workflow, flow);
  const state = { failures: timing.failures, findings: timing.findings };
  return await simulate(await flow, {
    ...options,
    input: { issue: { source: 'github', identifier: '#4', title: 'Fix the thing' } },
    config: { cli: 'claude' },
    run: (call) => ran(call, timing, state),
    agent: (call) => played(call, timing, state),
  });
}

interface State {
  failures: number;
  findings: number;
  /** Whether the last review found something. */
  found?: boolean;
}

function played({ name, attempt, timeout = FOREVER }: AgentCall, { agents }: Timing, state: State): AgentAnswer {
  if (name === 'check-repair') state.failures -= 1;
  if (name === 'adversary') {
    state.found = state.findings > 0;
    state.findings -= 1;
  }
  if (agents === 'crash' && name === 'implementer' && attempt === 1) return { crash: true, takes: timeout - MINUTE };
  if (agents === 'lost') return { signal: 'SIGKILL', takes: timeout };
  const takes = typeof agents === 'number' ? agents * MINUTE : agents === 'stopped' ? FOREVER : timeout;
  return { message: 'Done.', takes };
}

function ran(call: RunCall, timing: Timing, state: State): RunAnswer {
  const part = partOf(call);
  if (part === 'check-run' || part === 'base-check') return checked(call, part, timing, state);
  const small = part === 'start' && timing.branch === true && timing.small === 'hung' ? 'limit' : timing.small;
  const takes = { instant: 0, limit: call.timeout, hung: FOREVER }[small];
  return { stdout: part === undefined ? asked(call, state) : `${ANSWERS[part] ?? 'done'}\n`, takes };
}

function checked({ timeout, env }: RunCall, part: Part, { checks, base }: Timing, { failures }: State): RunAnswer {
  if (checks === 'hung') return { takes: FOREVER };
  const limit = Number(env['RELAYFLOW_CHECK_LIMIT']) * 1_000;
  // Stopping them takes a moment.
  if (checks * MINUTE > limit) return { stdout: 'timeout\n', takes: Math.min(limit + 6_000, timeout) };
  return { stdout: part === 'base-check' ? `${base}\n` : failures > 0 ? 'fail\n' : 'pass\n', takes: checks * MINUTE };
}

const ANSWERS: Partial<Record<Part, string>> = {
  'start': BASE,
  'check-resolve': 'script',
  'check-remember': 'none',
  'change-check': 'changed',
  'publish-check': 'publish',
  'check-report': 'written',
  'change-metadata': 'valid',
  'push': 'pushed-without-workflows',
  'open-change': 'https://forge.example/changes/1',
};

function asked({ command }: RunCall, { found }: State): string {
  if (command.startsWith('if [ -s review.md ]')) return found === true ? 'findings\n' : 'clean\n';
  return command.startsWith('git ls-files') ? '' : 'ok\n';
}
