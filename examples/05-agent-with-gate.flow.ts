/**
 * A coding agent works in the repository, and a gate checks what it left there: its word is not enough.
 *
 * `scripted-agent` is a program of these examples that needs no model; `claude`, `codex`, `opencode`, `gemini` or `pi` take its place.
 *
 *   PATH="$PWD/examples/agents:$PATH" flows run examples/05-agent-with-gate.flow.ts --input '{}'
 */
import { flow } from '@relayflows/surface';

export default flow('agent-with-gate', async (f) => {
  const result = await f
    .agent('writer', {
      cli: 'scripted-agent',
      task: 'Write an overview of this repository into OVERVIEW.md: what it is for, and which file holds what.',
    })
    .gate({ type: 'subprocess_gate', command: 'test "$(wc -w < OVERVIEW.md)" -ge 10' });

  f.done('success', { detail: `${result.summary.trim()} Files: ${result.artifacts.join(', ')}` });
});
