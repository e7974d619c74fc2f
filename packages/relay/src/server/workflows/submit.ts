import { RelayError } from '../../errors/relay-error.js';
import type { Home } from '../../host/home.js';
import { parseWorkflow } from '../../workflow/parse.js';
import { problemText, workflowError } from '../../workflow/problem.js';
import { readStored, removeStored, replaceStored } from '../../workflow/store/store.js';
import type { Workshop } from '../workshop.js';
import { checkBinding } from './bind.js';
import { asRegistered } from './load.js';
import type { RegisteredWorkflow, WorkflowRegistry } from './registry.js';

interface Place {
  readonly shop: Workshop;
  readonly home: Home;
  readonly registry: WorkflowRegistry;
}

/** Checks a workflow against everything it names, and stores its bytes. What was stored before stays when any of it fails. */
export async function submitWorkflow({ shop, home, registry, bytes }: Place & { readonly bytes: Uint8Array }): Promise<{ readonly workflow: RegisteredWorkflow; readonly warnings: readonly string[] }> {
  const parsed = parseWorkflow(bytes);
  if ('problems' in parsed) throw workflowError(parsed.problems);
  const { workflow, warnings } = parsed;
  await checkBinding(shop, workflow);
  refuseBusy(shop, workflow.name);
  const change = replaceStored(home.workflows, { name: workflow.name, yaml: bytes });
  const stored = readStored(home.workflows, workflow.name);
  if (stored?.health !== 'healthy') {
    change.undo();
    throw new RelayError('workflow_invalid', `Workflow ${workflow.name} could not be stored: ${stored?.reason ?? 'its file is missing.'}`);
  }
  const registered = asRegistered(stored);
  registry.put(registered);
  return { workflow: registered, warnings: warnings.map(problemText) };
}

/** Throws `workflow_unknown`, `workflow_busy`. */
export async function removeWorkflow({ shop, home, registry, name }: Place & { readonly name: string }): Promise<void> {
  refuseBusy(shop, name);
  removeStored(home.workflows, name);
  registry.remove(name);
}

function refuseBusy({ store }: Workshop, name: string): void {
  const active = store.countActive({ workflow: name });
  if (active === 0) return;
  throw new RelayError('workflow_busy', `Workflow ${name} has ${active} ${active === 1 ? 'run that has' : 'runs that have'} not ended.`, { hint: 'Cancel them with `relay-flow run cancel`, or wait for their end. A run keeps the definition it began with.' });
}
