/** Every gate there is, each passing once. */
import { flow } from '@relayflows/surface';

export default flow<{ word: string }>('gates', async (f, input) => {
  const echoed = await f.run(`printf 'the word is %s' "$WORD"`, { env: { WORD: input.word } }).gate({ type: 'references_input', input_key: 'word' });
  await f.run('echo content > made.txt').gate({ type: 'subprocess_gate', command: 'grep -q content made.txt' });
  await f.run('echo selected').gate({ type: 'subprocess_gate', command: 'true', from_output: [] });
  await f.run('echo one two three').gate({ type: 'word_count_bounds', min: 3, max: 3 });
  await f.run('echo Version 1.20').gate({ type: 'regex_match', pattern: '^version \\d+\\.\\d+$', flags: 'im' });
  await f.run('exit 3', { onNonZero: 'record' }).gate({ type: 'regex_match', pattern: '^$', in_output_at: ['stdout'] });
  await f.run('true').gate({ type: 'artifact_exists', path: 'made.txt' });
  const checked = await f.run('echo 42').gate((text) => Number(text) === 42, 'the answer is 42');
  f.done('success', { detail: `${echoed}, ${checked.trim()}` });
});
