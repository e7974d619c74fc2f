import { RelayError } from '../../errors/relay-error.js';
import { shownRun, shownRuns } from '../runs/run-views.js';
import type { WorkflowDetail, WorkflowSummary } from '../answers.js';
import type { Workshop } from '../workshop.js';
import type { RegisteredWorkflow, WorkflowBook } from './book.js';

const RECENT = 5;

export function workflowSummary(shop: Pick<Workshop, 'store' | 'headless'>, workflow: RegisteredWorkflow): WorkflowSummary {
  const { name, definition, health, reason, repair } = workflow;
  const { store } = shop;
  const [latest] = store.runs({ workflow: name, limit: 1 });
  return {
    name, health, reason, repair,
    repositories: definition?.repos ?? [],
    nodeCount: definition === undefined ? 0 : Object.keys(definition.nodes).length,
    activeRuns: store.countActive({ workflow: name }),
    latestRun: latest === undefined ? null : shownRun(shop, latest),
  };
}

export function workflowDetail(shop: Pick<Workshop, 'store' | 'headless'>, workflowBook: WorkflowBook, name: string): WorkflowDetail {
  const workflow = workflowBook.get(name);
  if (workflow === undefined) throw new RelayError('workflow_unknown', `No workflow ${JSON.stringify(name)} is stored.`, { hint: 'List them with `relay-flow workflow list`.' });
  const recent = shop.store.runs({ workflow: name }).toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, RECENT);
  return { ...workflowSummary(shop, workflow), yaml: workflow.yaml, valid: workflow.definition !== undefined, recentRuns: shownRuns(shop, recent) };
}
