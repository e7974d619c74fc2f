import { CHANGE_METADATA, CHECK_REPORT, DROP_WORKING_FILES, OPEN_CHANGE, PUBLISH_CHECK, PUSH } from '../shell.js';
import { answerOf } from '../steps.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

/** Pushes the branch, whatever its checks say, and opens or updates the change. Says what went wrong, if so. */
export async function publish(work: Work) {
  work.f.phase('publishing');
  await answerOf(work, DROP_WORKING_FILES);
  if ((await answerOf(work, PUBLISH_CHECK)) === 'no-commits') {
    return 'Nothing was committed, so there is nothing to publish.';
  }
  await answerOf(work, CHECK_REPORT);
  const metadata = await answerOf(work, CHANGE_METADATA);
  const pushed = await answerOf(work, PUSH, {}, MINUTES.push);
  if (!/^(pushed|up-to-date)/.test(pushed)) {
    return `The branch could not be pushed. It is here, with all that was done. ${work.heard}`;
  }
  if (metadata !== 'valid') {
    return `The branch is pushed. No change was opened, since its description cannot be used: ${metadata}`;
  }
  // What the forge did not take stands in the description.
  if (pushed === 'pushed-without-workflows') await answerOf(work, CHECK_REPORT);
  const url = await answerOf(work, OPEN_CHANGE, {}, 2 * MINUTES.small);
  if (!url.includes('://')) return `The branch is pushed. The change request could not be opened. ${work.heard}`;
  work.url = url;
  return '';
}
