/**
 * Counts the words of one file. `06-child-flow.flow.ts` dispatches it; alone it runs like any flow.
 *
 *   flows run examples/06-count-words.flow.ts --input '{"file":"README.md"}'
 */
import { flow } from '@relayflows/surface';

export default flow<{ file: string }>('count-words', async (f, { file }) => {
  const words = await f.run('wc -w < "$FILE"', { env: { FILE: file } });

  f.done('success', { detail: `${file}: ${words.trim()} words` });
});
