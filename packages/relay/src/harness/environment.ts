import type { Routes } from 'relay-flow-plugin/report';
import { nextStepsOf } from '../workflow/routes.js';

export interface EnvironmentRequest {
  /** The home of relay-flow, absolute. */
  readonly home: string;
  /** The attempt's id. */
  readonly runId: string;
  readonly workflow: string;
  readonly repo: string;
  readonly ticket: string;
  readonly node: string;
  readonly nodeType: 'agent' | 'hitl';
  /** With its variables put in; empty where the node has none. One that is too long for a variable is left to the prompt. */
  readonly nudge: string;
  readonly routes: Routes;
  /** The contract of the report. */
  readonly reportFormat: string;
  /** Only counts for `hitl`. */
  readonly autoReject: boolean;
  /** The executable that takes reports, where `relay-flow` on the agent's PATH may be another one. */
  readonly command?: string;
  /** From the task system. */
  readonly taskEnvironment: Readonly<Record<string, string>>;
}

/** A variable has 128 KiB on Linux at most, and in Orca shares a line of 120,000 bytes with the prompt, where a longer one stands anyway. */
const LONGEST_NUDGE_BYTES = 16 * 1024;

/**
 * The variables of a node's agent: the task system's, then `RELAY_FLOW_*`, which win. The id of the visit is none of them, and stays inside the server.
 * A variable of the task system may be empty on purpose: it takes away what would be inherited. Pure.
 */
export function harnessEnvironment(request: EnvironmentRequest): Record<string, string> {
  return {
    ...request.taskEnvironment,
    RELAY_FLOW_HOME: request.home,
    RELAY_FLOW_RUN_ID: request.runId,
    RELAY_FLOW_WORKFLOW: request.workflow,
    RELAY_FLOW_REPO: request.repo,
    RELAY_FLOW_TICKET: request.ticket,
    RELAY_FLOW_NODE: request.node,
    RELAY_FLOW_NODE_TYPE: request.nodeType,
    RELAY_FLOW_NUDGE_PROMPT: Buffer.byteLength(request.nudge) > LONGEST_NUDGE_BYTES ? '' : request.nudge,
    RELAY_FLOW_NEXT_STEPS_JSON: JSON.stringify(nextStepsOf(request.routes).map(({ target, when = '' }) => ({ target, when }))),
    RELAY_FLOW_REPORT_FORMAT: request.reportFormat,
    ...(request.nodeType === 'hitl' ? { RELAY_FLOW_AUTO_REJECT: String(request.autoReject) } : {}),
    ...(request.command === undefined ? {} : { RELAY_FLOW_COMMAND: request.command }),
  };
}
