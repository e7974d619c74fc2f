import { RelayError } from '../../errors/relay-error.js';
import type { Home } from '../../host/home.js';
import { broadTransition } from '../../task/config/broad-transition.js';
import type { WorkflowDefinition } from '../../workflow/definition.js';
import { parseWorkflow } from '../../workflow/parse.js';
import { problemText, workflowError } from '../../workflow/problem.js';
import { readStored, removeStored, replaceStored } from '../../workflow/store/store.js';
import type { Workshop } from '../workshop.js';
import { checkBinding } from './bind.js';
import { asRegistered } from './load.js';
import type { RegisteredWorkflow, WorkflowBook } from './book.js';

interface Place {
  readonly shop: Workshop;
  readonly home: Home;
  readonly workflowBook: WorkflowBook;
}

/** Checks a workflow against everything it names, and stores its bytes. What was stored before stays when any of it fails. */
export async function submitWorkflow({ shop, home, workflowBook, bytes }: Place & { readonly bytes: Uint8Array }): Promise<{ readonly workflow: RegisteredWorkflow; readonly warnings: readonly string[] }> {
  const parsed = parseWorkflow(bytes);
  if ('problems' in parsed) throw workflowError(parsed.problems);
  const { workflow, warnings } = parsed;
  await checkBinding(shop, workflow);
  refuseBusy(shop, workflow.name);
  const change = replaceStored(home.workflows, { name: workflow.name, yaml: bytes });
  // Store and workflowBook change together or not at all.
  try {
    const stored = readStored(home.workflows, workflow.name);
    if (stored?.health !== 'healthy') throw new RelayError('workflow_invalid', `Workflow ${workflow.name} could not be stored: ${stored?.reason ?? 'its file is missing.'}`);
    const registered = asRegistered(stored);
    workflowBook.put(registered);
    return { workflow: registered, warnings: [...warnings.map(problemText), ...broadTransitions(shop, workflow)] };
  } catch (error) {
    change.undo();
    throw error;
  }
}

/** What the parser cannot see: settings of the machine and of a repository count at the end too. */
function broadTransitions(shop: Workshop, { repos, taskConfig, nodes }: WorkflowDefinition): readonly string[] {
  const end = nodes['end']?.taskConfig;
  const found = repos.flatMap((name) => {
    const warning = broadTransition({ ...shop.repos.get(name).layers, ...(taskConfig === undefined ? {} : { workflow: taskConfig }), ...(end === undefined ? {} : { node: end }) });
    return warning === undefined || taskConfig?.['transitionTo'] !== undefined ? [] : [`Repository ${name}: ${warning.text} ${warning.hint}`];
  });
  return [...new Set(found)];
}

/** Throws `workflow_unknown`, `workflow_busy`. */
export async function removeWorkflow({ shop, home, workflowBook, name }: Place & { readonly name: string }): Promise<void> {
  refuseBusy(shop, name);
  removeStored(home.workflows, name);
  workflowBook.remove(name);
}

function refuseBusy({ store }: Workshop, name: string): void {
  const active = store.countActive({ workflow: name });
  if (active === 0) return;
  throw new RelayError('workflow_busy', `Workflow ${name} has ${active} ${active === 1 ? 'run that has' : 'runs that have'} not ended.`, { hint: `${active === 1 ? 'Cancel it with `relay-flow run cancel`, or wait for its end' : 'Cancel them with `relay-flow run cancel`, or wait for their end'}. A run keeps the definition it began with.` });
}
