import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { FaultPoint } from '../../src/faults/fault.js';
import { writeCredentials } from '../../src/host/credentials.js';
import { FakeJira, isWrite } from '../task/jira/fake/server.js';
import { SETTINGS } from '../task/jira/stage.js';
import { clearAway, drive, serve } from './killed-server.js';
import { World } from './world.js';

const SHORT = `
name: short
repos: [app]
nodes:
  start:
    onSuccess: [{ target: build }]
  build:
    type: agent
    agent: coder
    description: Build {{ticket}}.
    onSuccess: [{ target: check }]
    onFailure: [{ target: build }]
  check:
    type: hitl
    agent: reader
    description: Read it.
    onSuccess: [{ target: end }]
    onFailure: [{ target: build }]
  end: {}
`;

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  await clearAway();
  for (const close of closing.splice(0)) await close();
});

/** What reached the site and was done there, by kind: the site lives on while servers die. */
function effects(jira: FakeJira): Readonly<Record<string, number>> {
  const done = jira.writes.filter((seen) => isWrite(seen) && seen.status !== undefined && seen.status < 300);
  const count = (is: (seen: (typeof done)[number]) => boolean): number => done.filter(is).length;
  return {
    creations: count(({ path }) => path.endsWith('bulk')),
    mailboxes: jira.site.issues.size - 1,
    transitions: count(({ path }) => path.endsWith('/transitions')),
    comments: count(({ path }) => path.endsWith('/comment')),
    claims: count(({ method, path, body }) => method === 'PUT' && /^issue\/[^/]+$/.test(path) && JSON.stringify(body).includes('wf:short')),
  };
}

const ONCE = { creations: 1, mailboxes: 2, transitions: 6, comments: 3, claims: 1 };

const POINTS = ['none', 'claim.after', 'begin.created', 'mailboxes.after', 'start.transition', 'enter.transition', 'launch.noted', 'report.signaled', 'settle.summary', 'settle.feedback', 'settle.mailbox', 'settle.rested', 'finish.transition', 'finish.shown'] as const satisfies readonly (FaultPoint | 'none')[];

describe('a server that is killed', () => {
  it.each(POINTS)('at %s has no comment, mailbox, transition or launch doubled', async (point) => {
    const jira = await FakeJira.open();
    closing.push(() => jira.close());
    const world = await new World({ build: [{ next: 'check', actions: 'Read it.' }], check: [{ next: 'end' }] }).init();
    const config = parse(readFileSync(world.home.config, 'utf8')) as Record<string, unknown>;
    writeFileSync(world.home.config, stringify({ ...config, taskPlugin: 'jira', repos: { app: { path: world.repo, taskConfig: SETTINGS } } }), { mode: 0o600 });
    writeCredentials(world.home, { jira: jira.credentials });
    world.store('short', SHORT);
    const { key } = jira.site.add({ summary: 'Make it faster' });
    const server = await serve(world, point);
    const first = await drive(world, server, key);
    if (point === 'none') expect(first?.state).toBe('completed');
    else {
      expect([first, server.signalCode]).toEqual([undefined, 'SIGKILL']);
      expect((await drive(world, await serve(world), key))?.state).toBe('completed');
    }
    expect(effects(jira)).toEqual(ONCE);
    expect(jira.complaints).toEqual([]);
    expect(jira.site.get(key).status).toBe('Shipped');
    // An agent whose server dies is begun again in the same visit; no other is.
    expect([2, 3]).toContain(world.starts.length);
  });
});
