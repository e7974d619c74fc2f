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
import { refusalOf } from './ticket.js';
import { BUDGET, PUBLISHING } from './time-plan.js';
import { unwanted } from './target/local.js';
import { newWork } from './work.js';

export default flow<unknown>('software-garden', { version: '6.0.0', budget: BUDGET }, async (f, input) => {
  const work = newWork(f, input);
  const refused = refusalOf(work.ticket) || unwanted(input) || (await begin(work));
  if (refused !== '') return await stop(work, refused, false);

  await settleChecks(work);
  await implement(work, '');
  const question = await questionOf(work);
  if (question !== '') return await stop(work, question);

  await check(work, PUBLISHING);

  const unpublished = await publish(work);
  if (unpublished !== '') return await stop(work, unpublished);

  const { broke, reason } = outcomeOf(work);
  await answerOf(work, FINISH);
  f.done(broke ? 'step_failed' : 'needs_human', { detail: `${work.url}\n${reason}` });
});
