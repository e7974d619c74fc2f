import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { sceneApart, type BeadsScene } from '../task/beads/scene.js';
import { AGENT, markersIn, STRAIGHT, World, type Plan } from './world.js';

/** Each call of the stand-in for bd starts a process, of which a walk needs a hundred. */
const PATIENCE_MS = 300_000;
vi.setConfig({ testTimeout: 600_000 });
const OWNER = `wf-owner:straight:${createHash('sha256').update('ana').digest('hex')}`;

/** A server whose tickets are in Beads, with worktrees and a command as the agent. */
class BeadsWorld extends World {
  readonly beads: BeadsScene;
  server: RunningServer | undefined;

  constructor(plan: Plan) {
    super(plan);
    this.beads = sceneApart();
    writeFileSync(this.home.config, stringify({
      pollIntervalSeconds: 1,
      taskPlugin: 'beads',
      taskConfig: { assignee: 'Ana' },
      harnessConfig: { command: [process.execPath, AGENT, this.agent], maxProcesses: 8 },
      repos: { app: { path: this.repo, taskConfig: { beadsDir: this.beads.workspace } } },
    }), { mode: 0o600 });
    onTestFinished(async () => {
      await this.server?.stop();
      this.remove();
    });
  }

  async serve(options: { readonly recover?: boolean } = {}): Promise<void> {
    const log = openServerLog({ path: this.home.serverLog, level: 'debug' });
    // What the person who started the server happens to have set must not matter.
    const env = { ...process.env, ...this.beads.env, BEADS_DIR: '/elsewhere', BEADS_DB: '/elsewhere/other.db' };
    this.server = await startServer({ home: this.home, env, version: '0.0.0', log, ...options });
  }

  async begin(): Promise<this> {
    await this.init();
    await this.serve();
    await this.client.call('submitWorkflow', { body: STRAIGHT });
    return this;
  }

  comments(id: string): string {
    return (this.beads.state.comments[id] ?? []).map(({ text }) => text).join('\n');
  }
}

describe('a ticket of Beads', () => {
  it('is walked from its start to its end, and its issues tell what happened', async () => {
    const world = await new BeadsWorld({ build: [{ next: 'review', actions: 'Look at the names.' }], review: [{ status: 'failure', next: 'build', actions: 'Rename it.' }, { next: 'end' }] }).begin();
    const { beads } = world;
    const key = await beads.makeTicket({ title: 'Make it faster' });
    const other = beads.add({ title: 'Of another repository', labels: ['repo:web'] });
    const run = await world.until(key, ({ state }) => state === 'completed', PATIENCE_MS);
    expect(run.steps.map(({ node, status, route }) => [node, status, route])).toEqual([
      ['start', 'succeeded', 'build'], ['build', 'succeeded', 'review'], ['review', 'failed', 'build'], ['build', 'succeeded', 'review'], ['review', 'succeeded', 'end'], ['end', 'succeeded', null],
    ]);
    const seen = await beads.look(key);
    expect(seen).toMatchObject({ status: 'closed', labels: ['repo:app', OWNER, 'wf:straight'], mailboxes: [{ title: `${key}:build`, status: 'closed', assignee: 'Ana', labels: ['relay-flow-mailbox'] }, { title: `${key}:review`, status: 'closed', assignee: 'Ana' }] });
    const build = seen.mailboxes[0]?.comments.join('\n') ?? '';
    expect(markersIn(build, 'summary')).toHaveLength(2);
    expect(markersIn(build, 'feedback')).toHaveLength(1);
    expect(build).toContain('Rename it.');
    expect(beads.issue(other)).toMatchObject({ status: 'open', labels: ['repo:web'] });
    expect(beads.overlaps).toBe('');
    expect(world.starts).toHaveLength(4);
  });

  it('whose state a person changed is blocked until it is put right, and goes on by itself then', async () => {
    const world = await new BeadsWorld({ build: [{ waitFor: 'go', next: 'end' }] }).begin();
    const { beads } = world;
    const key = await beads.makeTicket({ title: 'Make it faster' });
    await world.until(key, () => world.starts.length === 1, PATIENCE_MS);
    const build = Object.values(beads.state.issues).find(({ title }) => title === `${key}:build`)?.id ?? '';
    beads.set(build, { status: 'hooked' });
    world.allow('go');
    const blocked = await world.until(key, ({ state }) => state === 'blocked', PATIENCE_MS);
    expect(`${blocked.lastError ?? ''} ${blocked.attention ?? ''}`).toContain(`bd update ${build} --status in_progress`);
    beads.set(build, { status: 'in_progress' });
    await world.until(key, ({ state }) => state === 'completed', PATIENCE_MS);
    expect(markersIn(world.comments(build), 'summary')).toHaveLength(1);
  });

  it('pitfall 49: that was canceled does not come back when the journal is lost, and others begin again', async () => {
    const world = await new BeadsWorld({ build: [{ waitFor: 'go', next: 'end' }] }).begin();
    const { beads } = world;
    const canceled = await beads.makeTicket({ title: 'Not needed' });
    const kept = await beads.makeTicket({ title: 'Needed' });
    await world.until(canceled, () => world.starts.length === 2, PATIENCE_MS);
    await world.client.call('cancelRun', { params: { key: canceled }, body: { reason: 'not needed' } });
    expect(world.comments(canceled)).toMatch(/Run canceled: not needed\n\n<!-- app\/straight\/\S+:cancellation -->$/);
    beads.set(kept, { status: 'deferred', defer_until: '2099-01-01T00:00:00Z' });
    await world.server?.stop();
    await world.serve({ recover: true });
    world.allow('go');
    await world.until(kept, ({ state }) => state === 'completed', PATIENCE_MS);
    expect(beads.issue(kept).defer_until).toBeUndefined();
    await expect(world.run(canceled)).rejects.toThrow(/There is no run|no run/i);
    expect(world.starts.filter((start) => start.startsWith(canceled))).toHaveLength(1);
  });

  it('gives its agents the workspace', async () => {
    const world = await new BeadsWorld({ build: [{ next: 'end' }] }).init();
    const show = join(world.agent, 'environment.mjs');
    writeFileSync(show, [
      "import { writeFileSync } from 'node:fs';",
      `writeFileSync(${JSON.stringify(join(world.agent, 'environment.json'))}, JSON.stringify({ BEADS_DIR: process.env.BEADS_DIR, BEADS_DB: process.env.BEADS_DB, BD_DB: process.env.BD_DB }));`,
      `await import(${JSON.stringify(AGENT)});`,
    ].join('\n'));
    const config = { taskPlugin: 'beads', pollIntervalSeconds: 1, harnessConfig: { command: [process.execPath, show, world.agent] }, repos: { app: { path: world.repo, taskConfig: { beadsDir: world.beads.workspace } } } };
    writeFileSync(world.home.config, stringify(config), { mode: 0o600 });
    await world.serve();
    await world.client.call('submitWorkflow', { body: STRAIGHT });
    const key = await world.beads.makeTicket({ title: 'Make it faster' });
    await world.until(key, ({ state }) => state === 'completed', PATIENCE_MS);
    expect(JSON.parse(readFileSync(join(world.agent, 'environment.json'), 'utf8'))).toEqual({ BEADS_DIR: world.beads.workspace, BEADS_DB: '', BD_DB: '' });
  });
});
