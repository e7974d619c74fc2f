/** The flow of this service, registered by name: its source is part of the program, not a file of its own. */
import { flow } from '@relayflows/surface';

export const release = flow('release', async (f, { version }) => {
  const approved = await f.human(`Release ${version}?`, { to: 'release-team' });
  if (!approved) return f.done('declined', { detail: `${version} was not approved` });

  await f.run('printf "%s\\n" "$VERSION" > RELEASED', { env: { VERSION: version } });
  f.done('success', { detail: `released ${version}` });
});
