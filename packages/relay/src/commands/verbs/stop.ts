import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '../../errors/relay-error.js';
import { isAlive } from '../../host/lock.js';
import type { CommandContext, Shown } from '../command.js';

const LOOK_MS = 100;
/** What is under way gets 30 s from the server. */
const LONGEST_MS = 45_000;

export async function execute({ client, io }: CommandContext): Promise<Shown> {
  const { pid } = await client().call('stop', {});
  const begin = io.now();
  while (isAlive(pid)) {
    if (io.now() - begin > LONGEST_MS) {
      throw new RelayError('server_running', `The server (process ${pid}) was asked to stop and has not ended.`, { hint: `Look into server.log in its home. \`kill ${pid}\` asks it again; its runs survive any end.`, evidence: { pid } });
    }
    await sleep(LOOK_MS);
  }
  return { data: { pid, stopped: true }, lines: ['The server has stopped. Its runs go on when it is started again.'] };
}
