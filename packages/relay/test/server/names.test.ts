import { createRedactor } from '@relayflows/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { ticketRedactor } from '../../src/server/runs/ticket-redactor.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { markersIn, World } from './world.js';

const open: { readonly world: World; readonly server: RunningServer }[] = [];

afterEach(async () => {
  for (const { world, server } of open.splice(0)) {
    await server.stop();
    world.remove();
  }
});

const WORKFLOW = `
name: rotate
repos: [app]
nodes:
  start:
    onSuccess: [{ target: rotateToken }]
  rotateToken:
    type: agent
    agent: coder
    description: Rotate it.
    onSuccess: [{ target: secret }]
    onFailure: [{ target: rotateToken }]
  secret:
    type: agent
    agent: postgres-admin
    description: Set password=rotated-2026 for {{ticket}}.
    onSuccess: [{ target: end }]
    onFailure: [{ target: rotateToken }]
  end: {}
`;

const inner = createRedactor({ env: { DB_PASSWORD: 'postgres', SESSION_TOKEN: 'bitter-orange-17' } });
const redactor = ticketRedactor(inner);
const VISIT = '0123456789abcdef0123456789abcdef';

describe('the names of tickets and nodes', () => {
  it('may look like secrets, or announce one, and are acted upon as they are', async () => {
    const world = await new World({ rotateToken: [{ next: 'secret', actions: 'The new one is bitter-orange-17.' }], secret: [{ next: 'end' }] }).init();
    world.store('rotate', WORKFLOW);
    const env = { ...process.env, DB_PASSWORD: 'postgres', SESSION_TOKEN: 'bitter-orange-17' };
    open.push({ world, server: await startServer({ home: world.home, env, version: '0.0.0', log: openServerLog({ path: world.home.serverLog, level: 'debug' }) }) });
    const key = 'FixTheLoginWhenNobodyIsNamed';
    world.ticket(key);
    const run = await world.until(key, ({ state }) => state === 'completed');
    expect(run.steps.map(({ node, status }) => `${node} ${status}`)).toEqual(['start succeeded', 'rotateToken succeeded', 'secret succeeded', 'end succeeded']);
    expect(markersIn(world.read(key, 'rotateToken.md'), 'summary')).toHaveLength(1);
    const secret = world.read(key, 'secret.md');
    expect(markersIn(secret, 'feedback')).toHaveLength(1);
    expect(secret).toContain('Set password=rotated-2026');
    // What an agent says is another matter.
    expect(secret).toContain('The new one is [redacted:SESSION_TOKEN].');
    expect(secret).not.toContain('bitter-orange-17');
  });
});

it('a ticket and a node whose names hold a secret are walked to the end', async () => {
  const world = await new World({ rotateToken: [{ next: 'postgres' }], postgres: [{ next: 'end' }] }).init();
  world.store('rotate', WORKFLOW.replaceAll('secret', 'postgres'));
  open.push({ world, server: await startServer({ home: world.home, env: { ...process.env, DB_PASSWORD: 'postgres' }, version: '0.0.0', log: openServerLog({ path: world.home.serverLog, level: 'debug' }) }) });
  const key = 'migrate-postgres';
  world.ticket(key);
  const run = await world.until(key, ({ state, lastError }) => state === 'completed' || lastError !== null);
  expect(run).toMatchObject({ state: 'completed', lastError: null });
  expect(markersIn(world.read(key, 'postgres.md'), 'summary')).toHaveLength(1);
});

describe('the redactor of runs', () => {
  it('leaves names alone, wherever they stand', () => {
    const input = {
      logicalRunId: 'postgres/rotate/FixTheLoginWhenNobodyIsNamed', repo: 'postgres',
      workflow: { nodes: { postgres: { agent: 'postgres-admin', onSuccess: [{ target: 'postgres' }] } } },
      ticket: { id: 'a', key: 'FixTheLoginWhenNobodyIsNamed' },
      state: { node: 'postgres', mailboxes: { postgres: 'A-1/postgres', token: 'A-1/token' }, handover: { node: 'postgres', visitId: VISIT, report: { nextStep: 'postgres' } } },
    };
    expect(redactor.json(input)).toBe(input);
    const mailboxes = { rotateToken: 'A-1/rotateToken', key: 'FixTheLoginWhenNobodyIsNamed/key' };
    expect(redactor.json(mailboxes)).toBe(mailboxes);
  });

  it('removes secrets from what is said, in reports, remarks and errors', () => {
    const said = (text: string) => ({ type: 'report', report: { nextStep: 'postgres', summary: { completed: text, list: [text] }, feedback: { requiredActions: text } }, remark: text, text });
    expect(redactor.json(said('Use bitter-orange-17.'))).toEqual(said('Use [redacted:SESSION_TOKEN].'));
    expect(redactor.text('bitter-orange-17')).toBe('[redacted:SESSION_TOKEN]');
    const stream = redactor.stream();
    expect(stream.push('bitter-') + stream.push('orange-17') + stream.end()).toBe('[redacted:SESSION_TOKEN]');
  });

  it('keeps what the request of an activity was, which runs that wait have recorded', () => {
    for (const request of [{ key: `${VISIT}:launch:1` }, { key: 'mailboxes' }]) expect(redactor.json(request)).toEqual(inner.json(request));
  });
});
