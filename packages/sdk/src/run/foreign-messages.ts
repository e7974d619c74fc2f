import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import type { Journal } from '../journal/port.js';
import type { ActiveRun } from './active-run.js';
import { CANCEL_SIGNAL } from './mailbox-names.js';

/** Another process may have sent the run a message, canceled it, or, while it sleeps here, ended it. */
export async function lookIntoMailbox(journal: Journal, active: ActiveRun): Promise<void> {
  try {
    if (active.session === undefined) {
      if ((await journal.run({ runId: active.id }))?.completion !== undefined) active.wakeUp();
      else active.notice();
      return;
    }
    const signals = await journal.signals({ runId: active.id });
    if (signals.some(({ name }) => name === CANCEL_SIGNAL)) void active.cancel();
    // The session may have come to rest meanwhile.
    else await active.session?.checkMailbox();
  } catch (error) {
    active.session?.fail(isFlowsError(error) ? error : new FlowsError('journal_io', `The mailbox of run ${active.id} cannot be read: ${String(error)}.`, { cause: error }));
  }
}
