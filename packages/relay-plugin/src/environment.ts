import { listOf, parsedJson, recordOf, textOf } from './json.js';

/** What relay-flow tells the program that it starts for a node. */
export interface NodeEnvironment {
  /** The state folder of relay-flow, absolute. */
  readonly home: string;
  readonly runId: string;
  readonly ticket: string;
  readonly node: string;
  readonly nodeType: 'agent' | 'hitl';
  /** The targets of all routes of the node. */
  readonly targets: readonly string[];
  /** The contract of the report, as it is told to agents. */
  readonly reportFormat: string;
  /** A failure that a person would have to approve goes out without asking. */
  readonly autoReject: boolean;
  /** The executable that takes reports. */
  readonly command: string;
}

const REQUIRED = ['HOME', 'RUN_ID', 'WORKFLOW', 'REPO', 'TICKET', 'NODE', 'NODE_TYPE', 'NEXT_STEPS_JSON', 'REPORT_FORMAT'] as const;

/**
 * Reads the `RELAY_FLOW_*` variables. Undefined, and the plugin does nothing at all, unless every one is there and says something sensible; only the
 * nudge prompt may be empty, but it must be there too. So the sessions that people start themselves are left alone.
 */
export function nodeEnvironment(env: Readonly<Record<string, string | undefined>>): NodeEnvironment | undefined {
  const value = (name: string): string => env[`RELAY_FLOW_${name}`] ?? '';
  if (REQUIRED.some((name) => value(name).trim() === '') || env['RELAY_FLOW_NUDGE_PROMPT'] === undefined) return undefined;
  const nodeType = value('NODE_TYPE');
  const targets = targetsIn(parsedJson(value('NEXT_STEPS_JSON')));
  if (targets === undefined || (nodeType !== 'agent' && nodeType !== 'hitl')) return undefined;
  return {
    home: value('HOME'),
    runId: value('RUN_ID'),
    ticket: value('TICKET'),
    node: value('NODE'),
    nodeType,
    targets,
    reportFormat: value('REPORT_FORMAT'),
    autoReject: value('AUTO_REJECT') === 'true',
    command: value('COMMAND') || 'relay-flow',
  };
}

function targetsIn(steps: unknown): readonly string[] | undefined {
  if (!Array.isArray(steps)) return undefined;
  const targets = listOf(steps).map((step) => textOf(recordOf(step)['target']));
  return targets.every((target) => target !== undefined && target !== '') ? (targets as readonly string[]) : undefined;
}

/** The title of a node's mailbox, terminal and session. */
export function titleOf({ ticket, node }: NodeEnvironment): string {
  return `${ticket}:${node}`;
}
