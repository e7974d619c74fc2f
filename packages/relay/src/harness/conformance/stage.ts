import { randomUUID } from 'node:crypto';
import { reportContract, type Routes } from 'relay-flow-plugin/report';
import { harnessEnvironment } from '../environment.js';
import type { Clock } from '../headless/clock.js';
import { createHeadlessRunner, type HeadlessRunner } from '../headless/runner.js';
import type { HeadlessEvent, HeadlessProcess, HeadlessVisit } from '../headless/visit.js';
import type { Launch } from '../port.js';
import type { HarnessSetUp, HeadlessOnStage, Scenario, Stage } from './scenario.js';

export const ROUTES: Routes = { success: [{ target: 'review', when: 'it is complete' }], failure: [{ target: 'fix', when: 'it is broken' }] };
export const CONTRACT = reportContract(ROUTES);
/** Processes are known by the run, and other suites may run at the same time. */
export const VISIT = { key: 'conformance', runId: `repo/flow/T%2F${randomUUID()}`, visitId: '0123456789abcdef0123456789abcdef' };

/** A report that is valid here. */
export const REPORT = [
  'STATUS: success', 'NEXT STEP: review', 'SUMMARY:', 'COMPLETED: It is done.', 'COMMITS: None', 'NOT COMPLETED: None', 'ISSUES DISCOVERED: None', 'VERIFICATION: None', 'NOTES: None',
  'FEEDBACK:', 'REASON FOR NEXT STEP: It is complete.', 'REQUIRED ACTIONS: Read it.', 'RELEVANT CONTEXT: None', 'EXPECTED RESULT: None',
].join('\n');

/** Between TERM and KILL. */
const GRACE_MS = 300;

export async function onStage(setUp: HarnessSetUp, play: Scenario['play']): Promise<void> {
  let open: HeadlessRunner | undefined;
  const launch = (changes: Partial<Launch> = {}): Launch => ({
    cwd: setUp.repo, title: 'T-1:build', agent: setUp.agent, nodeType: 'agent', prompt: 'Build what the ticket asks for.', purpose: 'initial',
    env: harnessEnvironment({
      home: setUp.home, runId: VISIT.runId, workflow: 'flow', repo: 'repo', ticket: 'T-1', node: 'build', nodeType: 'agent', nudge: '', routes: ROUTES, reportFormat: CONTRACT, autoReject: false,
      taskEnvironment: { BEADS_DB: '', RELAY_FLOW_NODE: 'what the task system says does not count' },
    }),
    ...changes,
  });
  try {
    await play({
      ...setUp, launch,
      terminal() {
        if (setUp.harness.kind !== 'terminal') throw new TypeError('This scenario is about a harness in a terminal.');
        return setUp.harness;
      },
      headless() {
        open = createHeadlessRunner({ home: setUp.home, env: setUp.env, graceMs: GRACE_MS, resultGraceMs: 500, clock: impatient });
        return headless(setUp, open, launch);
      },
    } satisfies Stage);
  } finally {
    await open?.close();
    await setUp.tearDown();
  }
}

/** Waits for nothing: what is waited for is a matter of the executor. */
const impatient: Clock = { now: () => Date.now(), until: async () => await Promise.resolve() };

function headless(setUp: HarnessSetUp, runner: HeadlessRunner, launch: Stage['launch']): HeadlessOnStage {
  const { harness, play, seen, hanging } = setUp;
  if (harness.kind !== 'headless' || play === undefined || seen === undefined || hanging === undefined) throw new TypeError('A headless harness is set up with play, seen and hanging.');
  const events: HeadlessEvent[] = [];
  const processes: HeadlessProcess[] = [];
  const visit = (changes?: Partial<Launch>): HeadlessVisit => ({
    ...VISIT, harness, launch: launch(changes), contract: CONTRACT, routes: ROUTES,
    onProcess: (process) => void processes.push(process),
    onEvent: (event) => void events.push(event),
  });
  return {
    harness, runner, events, processes, play, seen, hanging, visit,
    bring: async (changes) =>
      await new Promise((resolve) => {
        runner.start({
          ...visit(changes),
          onEvent(event) {
            events.push(event);
            if (event.type === 'report' || event.type === 'exhausted' || event.type === 'failed') resolve(event);
          },
        });
      }),
  };
}
