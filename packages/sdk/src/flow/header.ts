import type { FlowHeader } from '@relayflows/surface';
import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import { parseBudget } from '../run/budget.js';
import type { LoadedFlow } from './loaded.js';

/**
 * Everything in the headers of a flow and its children that keeps it from running, the flow's own problems first; empty when it can run.
 *
 * Codes: `unsupported_header` for what this runtime does not do, `budget_syntax_invalid`, and `dispatch_invalid` for a child that has a budget of its own or
 * asks for more tools than its parent. Pure.
 */
export function headerProblems(flow: LoadedFlow): readonly FlowsError[] {
  return [...ownProblems(flow), ...budgetProblems(flow), ...childProblems(flow)];
}

function ownProblems({ name, definition: { header } }: LoadedFlow): readonly FlowsError[] {
  return unsupportedKeys(header).map((key) => new FlowsError('unsupported_header', `The flow "${name}" declares ${key}, which this runtime does not support.`, {
    hint: `Remove ${key} from the header.`,
    evidence: { flow: name, key },
  }));
}

function unsupportedKeys({ identity, workspace, tools, memory }: FlowHeader): readonly string[] {
  return [
    ...(identity === undefined ? [] : ['identity']),
    ...(workspace === undefined ? [] : ['workspace']),
    ...(tools?.relayfile === undefined ? [] : ['tools.relayfile']),
    ...(memory?.agent === true ? ['memory.agent'] : []),
  ];
}

function budgetProblems({ definition: { header } }: LoadedFlow): readonly FlowsError[] {
  if (header.budget === undefined) return [];
  try {
    parseBudget(header.budget);
    return [];
  } catch (error) {
    if (isFlowsError(error)) return [error];
    throw error;
  }
}

function childProblems(parent: LoadedFlow): readonly FlowsError[] {
  return [...parent.children.values()].flatMap((child) => [
    ...ownProblems(child),
    ...(child.definition.header.budget === undefined ? [] : [childBudget(parent, child)]),
    ...widenedTools(parent.definition.header, child.definition.header).map((tool) => widens(parent, child, tool)),
    ...childProblems(child),
  ]);
}

function childBudget(parent: LoadedFlow, child: LoadedFlow): FlowsError {
  return new FlowsError('dispatch_invalid', `The child flow "${child.name}" has a budget, but a child spends from its root's.`, {
    hint: `Remove budget from the header of "${child.name}".`,
    evidence: { flow: parent.name, child: child.name, key: 'budget' },
  });
}

function widens(parent: LoadedFlow, child: LoadedFlow, tool: string): FlowsError {
  return new FlowsError('dispatch_invalid', `The child flow "${child.name}" uses ${tool}, which its parent "${parent.name}" does not have.`, {
    hint: `Add ${tool} to the header of "${parent.name}", or remove it from "${child.name}".`,
    evidence: { flow: parent.name, child: child.name, tool },
  });
}

/** What a child has and its parent has not: `tools.github`, or `tools.mcp "docs"` for one entry of a list. */
function widenedTools(parent: FlowHeader, child: FlowHeader): readonly string[] {
  return Object.entries(child.tools ?? {}).flatMap(([tool, asked]) => {
    const granted = new Map(Object.entries(parent.tools ?? {})).get(tool);
    if (Array.isArray(asked)) {
      if (granted === true) return [];
      return asked.filter((entry) => !Array.isArray(granted) || !granted.includes(entry)).map((entry) => `tools.${tool} "${entry}"`);
    }
    return asked === true && granted !== true ? [`tools.${tool}`] : [];
  });
}
