/**
 * A flow that uses another one. The child has its own file, can be run alone, and shares the journal and the budget of its parent.
 *
 *   flows run examples/06-child-flow.flow.ts --input '{}'
 */
import { flow } from '@relayflows/surface';

export default flow('child-flow', { use: ['./06-count-words.flow.ts'] }, async (f) => {
  const listing = await f.run('git ls-files | head -n 3');
  const files = listing.trim().split('\n');

  const counts = await Promise.all(files.map((file) => f.dispatch('count-words', { file })));

  f.done('success', { detail: counts.map((count) => count.completionDetail).join('; ') });
});
