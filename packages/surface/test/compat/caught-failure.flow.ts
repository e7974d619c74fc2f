/** A caught failure lets the body clean up; it does not make the run succeed. */
import { flow } from '@relayflows/surface';

export default flow('caught-failure', async (f) => {
  try {
    await f.run('echo reason >&2; exit 9');
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    await f.run('printf "%s" "$TEXT" > caught.txt', { env: { TEXT: `${code} ${message.startsWith(`${code}: `)}` } });
  }
  f.done('success');
});
