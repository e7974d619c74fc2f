/** A helper module extends the context by declaration merging, and helpers take it as a type. */
import { flow } from '@relayflows/surface';
import { announce, versionOf } from './lib/release-helpers.ts';

export default flow<{ version: string }>('extended-context', { version: '2.1.0', budget: { wallclock: '10m' } }, async (f, input) => {
  const version = await versionOf(f, input.version);
  f.done('success', { detail: `${version} ${announce(f, version)}` });
});
