import { flow } from '@relayflows/surface';
import { outcomeOf } from './outcome.js';
import { begin } from './stages/begin.js';
import { check } from './stages/check.js';
import { implement } from './stages/implement.js';
import { prototypes } from './stages/prototypes.js';
import { publish } from './stages/publish.js';
import { review } from './stages/review.js';
import { settleChecks } from './stages/settle-checks.js';
import { stop } from './stop.js';
import { approverOf, readTicket, refusalOf } from './ticket.js';
import { BUDGET, PUBLISHING, REVIEWING } from './time-plan.js';
import { unwanted } from './target/cloud.js';

export default flow<unknown>('software-garden', { version: '2.0.0', budget: BUDGET }, async (f, input) => {
  const ticket = readTicket(input);
  const refused = refusalOf(ticket) || unwanted(input);
  if (refused !== '') return stop(f, refused);

  const work = await begin(f, ticket);
  await settleChecks(f, work);
  await implement(f, work, await prototypes(f, work));
  await check(f, work, PUBLISHING + REVIEWING);

  const unpublished = await publish(f, work, approverOf(input));
  if (unpublished !== '') return stop(f, unpublished);

  const outcome = outcomeOf(work);
  const objection = outcome.review ? await review(f, work) : '';
  f.done(objection === '' ? outcome.end : 'step_failed', { detail: `${work.url}\n${objection || outcome.reason}` });
});
