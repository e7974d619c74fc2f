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
  const { gate } = shop;
  return {
    ensureMailboxes: (run) => gate.pass(() => ensureMailboxes(shop, run)),
    reopen: (run) => gate.pass(() => reopen(shop, run)),
    validateAgents: (run) => gate.pass(() => validateAgents(shop, run)),
    enterStart: (run) => gate.pass(() => enterStart(shop, run)),
    enterNode: (run) => gate.pass(() => enterNode(shop, run)),
    launch: (run) => gate.pass(() => launch(shop, run, events)),
    settle: (run) => gate.pass(() => settle(shop, run)),
    finish: (run) => gate.pass(() => finish(shop, run)),
    observer: createObserver(shop),
  };
}
