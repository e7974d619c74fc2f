import { flow } from '@relayflows/surface';
import { outcomeOf } from './outcome.js';
import { FINISH } from './shell.js';
import { begin } from './stages/begin.js';
import { check } from './stages/check.js';
import { implement } from './stages/implement.js';
import { publish } from './stages/publish.js';
import { questionOf } from './stages/relay-question.js';
import { settleChecks } from './stages/settle-checks.js';
import { answerOf } from './steps.js';
import { stop } from './stop.js';
import { readTicket, refusalOf } from './ticket.js';
import { BUDGET, PUBLISHING } from './time-plan.js';
import { unwanted } from './target/cloud.js';

export default flow<unknown>('software-garden', { version: '4.0.0', budget: BUDGET }, async (f, input) => {
  const ticket = readTicket(input);
  const refused = refusalOf(ticket) || unwanted(input);
  if (refused !== '') return await stop(f, refused);

  const work = await begin(f, ticket, input);
  await settleChecks(f, work, input);
  const told = await implement(f, work, '');
  const question = await questionOf(f, work, told);
  if (question !== '') return await stop(f, question, work);

  await check(f, work, PUBLISHING);

  const unpublished = await publish(f, work);
  if (unpublished !== '') return await stop(f, unpublished, work);

  const { end, reason } = outcomeOf(work);
  await answerOf(f, work, FINISH);
  f.done(end, { detail: `${work.url}\n${reason}` });
});
