import type { Home } from '../../host/home.js';
import { errorFields } from '../../host/server-log.js';
import { isRelayError } from '../../errors/relay-error.js';
import { textOf } from '../../errors/text-of.js';
import { listStored, readStored, recoverStored } from '../../workflow/store/store.js';
import type { StoredWorkflow } from '../../workflow/store/health.js';
import type { Workshop } from '../workshop.js';
import { checkBinding } from './bind.js';
import type { RegisteredWorkflow, WorkflowBook } from './book.js';

/** Loads the stored workflows, each for itself: one that cannot be used is shown with its reason. */
export async function loadWorkflows(args: { readonly shop: Workshop; readonly home: Home; readonly workflowBook: WorkflowBook }): Promise<void> {
  const { shop, home, workflowBook } = args;
  for (const name of recoverStored(home.workflows)) shop.log.warn('a submission that was cut off was put right', { workflow: name });
  for (const stored of listStored(home.workflows)) {
    const registered = await bound(shop, asRegistered(stored));
    workflowBook.put(registered);
    if (registered.health !== 'healthy') shop.log.warn('a workflow takes no tickets', { workflow: stored.name, state: registered.health, text: registered.reason ?? '' });
  }
}

/** Looks again at workflows that took no tickets while one of their repositories could not be used. */
export async function recheckWorkflows({ shop, home, workflowBook, repo }: { readonly shop: Workshop; readonly home: Home; readonly workflowBook: WorkflowBook; readonly repo: string }): Promise<void> {
  for (const name of workflowBook.naming(repo)) {
    const stored = workflowBook.get(name)?.health === 'blocked' ? readStored(home.workflows, name) : undefined;
    if (stored !== undefined) workflowBook.put(await bound(shop, asRegistered(stored)));
  }
}

export function asRegistered(stored: StoredWorkflow): RegisteredWorkflow {
  const { name, yaml, declared, health, reason, repair } = stored;
  return { name, yaml: yaml ?? '', health, reason, repair, ...(declared === null ? {} : { definition: declared }) };
}

/** A healthy workflow whose repositories, settings or agents have changed meanwhile takes no tickets. What only cannot be reached at the moment is no reason. */
async function bound(shop: Workshop, workflow: RegisteredWorkflow): Promise<RegisteredWorkflow> {
  if (workflow.health !== 'healthy' || workflow.definition === undefined) return workflow;
  try {
    await checkBinding(shop, workflow.definition);
    return workflow;
  } catch (error) {
    if (isRelayError(error) && error.kind === 'transient') {
      shop.log.warn('a workflow could not be checked', { workflow: workflow.name, ...errorFields(error) });
      return workflow;
    }
    const reason = textOf(error);
    return { ...workflow, health: 'blocked', reason, repair: isRelayError(error) ? (error.hint ?? null) : null };
  }
}
