import type { Report } from 'relay-flow-plugin/report';
import type { WorkflowDefinition } from '../../../src/workflow/definition.js';
import type { Activities } from '../../../src/workflow/interpreter/activities.js';
import { CURRENT_INTERPRETER_FLAGS } from '../../../src/workflow/interpreter/flags.js';
import type { TicketRunInput } from '../../../src/workflow/interpreter/input.js';

export const workflow: WorkflowDefinition = {
  name: 'review', repos: ['app'], cleanupRunnerOnEnd: false,
  nodes: {
    start: { type: 'lifecycle', onSuccess: [{ target: 'build' }], onFailure: [] },
    build: { type: 'agent', agent: 'coder', description: 'Build it.', autoReject: false, onSuccess: [{ target: 'check' }], onFailure: [{ target: 'build' }] },
    check: { type: 'hitl', agent: 'reader', description: 'Check it.', autoReject: false, onSuccess: [{ target: 'end' }], onFailure: [{ target: 'build' }] },
    end: { type: 'lifecycle', onSuccess: [], onFailure: [] },
  },
};

export function report(nextStep: string, status: Report['status'] = 'success'): Report {
  return {
    status, nextStep,
    summary: { completed: `on to ${nextStep}`, commits: 'None', notCompleted: 'None', issuesDiscovered: 'None', verification: 'None', notes: 'None' },
    feedback: { reasonForNextStep: 'None', requiredActions: 'None', relevantContext: 'None', expectedResult: 'None' },
  };
}

export interface World {
  readonly calls: string[];
  /** The visit of the last launch. */
  visit: string;
  node: string;
  readonly fail: Map<string, number>;
}

export function activitiesOf(world: World): Activities {
  const act = async (name: string): Promise<void> => {
    const left = world.fail.get(name) ?? 0;
    if (left > 0) {
      world.fail.set(name, left - 1);
      throw Object.assign(new Error(`${name} is not possible now.`), { kind: 'transient' });
    }
    world.calls.push(name);
  };
  return {
    ensureMailboxes: async () => {
      await act('mailboxes');
      return { build: 'K-1.1', check: 'K-1.2' };
    },
    reopen: () => act('reopen'),
    validateAgents: () => act('agents'),
    enterStart: () => act('start'),
    enterNode: ({ visit }) => act(`enter ${visit.node} ${visit.depth} after ${visit.handover?.node ?? 'start'}`),
    launch: async ({ visit, launch, remark }) => {
      await act(`launch ${visit.node} ${launch}${remark === undefined ? '' : ` ${remark}`}`);
      world.visit = visit.visitId;
      world.node = visit.node;
    },
    settle: ({ visit, report: { nextStep } }) => act(`settle ${visit.node} to ${nextStep}`),
    finish: ({ sequence }) => act(`finish ${sequence}`),
    observer: { failed: ({ activity, attempt, delayMs }) => world.calls.push(`failed ${activity} ${attempt} ${delayMs >= 1_600 && delayMs <= 2_400 ? '2s' : delayMs}`), succeeded: () => undefined },
  };
}

export const LOGICAL = 'app/review/K-1';
export const INPUT: TicketRunInput = { flags: CURRENT_INTERPRETER_FLAGS, logicalRunId: LOGICAL, attempt: 1, repo: 'app', workflow, ticket: { id: 'K-1', key: 'K-1', title: 'A ticket' } };
