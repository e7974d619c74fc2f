/**
 * The smallest flow: one command, one verdict. It runs anywhere.
 *
 *   flows run examples/01-hello.flow.ts --input '{}'
 *   flows run examples/01-hello.flow.ts --input '{"name":"Ada"}'
 */
import { flow } from '@relayflows/surface';

export default flow<{ name?: string }>('hello', async (f, input) => {
  // Input reaches a command through its environment, never as part of the command itself.
  const greeting = await f.run('printf "Hello, %s!" "$NAME"', { env: { NAME: input.name ?? 'world' } });

  f.done('success', { detail: greeting });
});
