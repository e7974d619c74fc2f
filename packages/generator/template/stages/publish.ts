import type { Ctx } from '@relayflows/surface';
import { outcomeOf } from '../outcome.js';
import { CHANGE_METADATA, CHECK_REPORT, DROP_WORKING_FILES, OPEN_CHANGE, PUBLISH_CHECK, PUSH } from '../shell.js';
import { answerOf } from '../steps.js';
import { referenceOf, titleOf } from '../ticket.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

/**
 * Pushes the branch, whatever its checks say, and opens the change request, or brings the open one up to date. Says
 * what went wrong; empty when nothing did.
 */
export async function publish(f: Ctx, work: Work): Promise<string> {
  f.phase('publishing');
  const env = changeOf(work);
  await answerOf(f, work, DROP_WORKING_FILES, env);
  if ((await answerOf(f, work, PUBLISH_CHECK, env)) === 'no-commits') {
    return 'Nothing was committed, so there is nothing to publish.';
  }
  await answerOf(f, work, CHECK_REPORT, env);
  const metadata = await answerOf(f, work, CHANGE_METADATA, env);
  const pushed = await answerOf(f, work, PUSH, env, { minutes: MINUTES.push });
  if (!/^(pushed|up-to-date)/.test(pushed)) {
    return 'The branch could not be pushed. It is here, with all that was done.';
  }
  if (metadata !== 'valid') {
    return `The branch is pushed. No change was opened, since its description cannot be used: ${metadata}`;
  }
  // What the forge did not take stands in the description.
  if (pushed === 'pushed-without-workflows') await answerOf(f, work, CHECK_REPORT, env);
  const draft = outcomeOf(work).draft ? '1' : '';
  const open = { ...env, RELAYFLOW_DRAFT: draft, RELAYFLOW_REVIEWER: work.approver };
  const url = await answerOf(f, work, OPEN_CHANGE, open, { minutes: 2 * MINUTES.small });
  if (url === '' || url === 'failed') return 'The branch is pushed. The change request could not be opened.';
  work.url = url;
  return '';
}

/** What the parts that publish are told. */
export function changeOf(work: Work): Record<string, string> {
  return {
    RELAYFLOW_BASE: work.base,
    RELAYFLOW_TITLE: titleOf(work.ticket),
    RELAYFLOW_REFERENCE: referenceOf(work.ticket),
    RELAYFLOW_CHECK_RESULT: work.check,
    RELAYFLOW_BASE_RESULT: work.baseCheck,
    RELAYFLOW_CHECK_SOURCE: work.checkSource,
    RELAYFLOW_CHECK_REPAIRED: work.repaired ? '1' : '',
    RELAYFLOW_CHECK_NOTES: work.notes,
    RELAYFLOW_OUTCOME: outcomeOf(work).reason,
  };
}
