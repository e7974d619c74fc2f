/**
 * Asks before it acts. The run parks until somebody answers; meanwhile no process is needed.
 *
 *   flows run examples/04-human-gate.flow.ts --input '{"tag":"v1.0.0"}'
 *   flows answer <run-id> human-2 yes
 */
import { flow } from '@relayflows/surface';

export default flow<{ tag: string; approver?: string }>('human-gate', async (f, { tag, approver }) => {
  const changes = await f.run('git log --oneline -n 5');

  const approved = await f.human(`Tag this as ${tag}?\n\n${changes}`, { to: approver ?? 'maintainer' });
  if (!approved) return f.done('declined', { detail: `${tag} was not approved` });

  // Looks before it acts, so that running it again after a crash changes nothing.
  await f.run('git rev-parse --quiet --verify "refs/tags/$TAG" || git tag "$TAG"', { env: { TAG: tag } });
  f.done('success', { detail: `tagged as ${tag}` });
});
