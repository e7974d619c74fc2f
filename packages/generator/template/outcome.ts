import type { Work } from './work.js';

/** What becomes of a change by how its checks ended: whether it is a draft, whether it broke them, and why. */
export function outcomeOf({ checkResult, baseResult, told }: Work) {
  const passed = /pass|none/.test(checkResult);
  const broke = checkResult === 'fail' && /pass|none/.test(baseResult);
  let reason = told.stopped || 'A person reviews and merges the change.';
  if (broke) reason = 'The change breaks checks that pass on its base commit.';
  else if (checkResult === 'fail') {
    reason = /fail|timeout/.test(baseResult)
      ? 'The checks fail, as they do on the base commit.'
      : 'The checks fail, and whether they do on the base commit could not be found out.';
  } else if (!passed) reason = `The checks did not come to an end: ${checkResult}.`;
  return { draft: !passed || told.stopped !== '', broke, reason };
}
