/** A gate that fails must say which command failed, with which status, and what it printed. */
import { flow } from '@relayflows/surface';

export default flow('failing-subprocess-gate', async (f) => {
  await f.run('echo built').gate({ type: 'subprocess_gate', command: 'echo missing artefact >&2; exit 5' });
  f.done('success');
});
