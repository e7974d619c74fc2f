import { isFlowsError } from '@relayflows/sdk';
import { isRelayError, RelayError } from '../../errors/relay-error.js';
import { textOf } from '../../errors/text-of.js';
import type { Activities } from '../../workflow/interpreter/activities.js';
import type { HeadlessEvents } from '../headless-events.js';
import type { Workshop } from '../workshop.js';
import { launch } from './launch.js';
import { enterNode, enterStart, finish, validateAgents } from './lifecycle.js';
import { ensureMailboxes, reopen } from './mailboxes.js';
import { createObserver } from './observer.js';
import { settle } from './settle.js';

/** What the interpreter of this server does to the world. */
export function createActivities(shop: Workshop, events: HeadlessEvents): Activities {
  const pass = <T>(work: () => Promise<T>): Promise<T> => shop.gate.pass(() => ours(work));
  return {
    ensureMailboxes: (run) => pass(() => ensureMailboxes(shop, run)),
    reopen: (run) => pass(() => reopen(shop, run)),
    validateAgents: (run) => pass(() => validateAgents(shop, run)),
    enterStart: (run) => pass(() => enterStart(shop, run)),
    enterNode: (run) => pass(() => enterNode(shop, run)),
    launch: (run) => pass(() => launch(shop, run, events)),
    settle: (run) => pass(() => settle(shop, run)),
    finish: (run) => pass(() => finish(shop, run)),
    observer: createObserver(shop),
  };
}

/** What becomes the last error of a run, and stays in its history: nothing that was only at hand when something failed. */
async function ours<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isRelayError(error) || isFlowsError(error) ? error : new RelayError('internal_error', textOf(error), { hint: 'Look into server.log.', cause: error });
  }
}
