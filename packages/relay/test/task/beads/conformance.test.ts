import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { taskSystemConformance, type TaskSystemSetUp } from '../../../src/task/conformance.js';
import { BeadsScene } from './scene.js';

const SECRET = 'dolt-password-1f9c';

async function setUp(): Promise<TaskSystemSetUp> {
  const scene = new BeadsScene({ BEADS_DOLT_PASSWORD: SECRET });
  const repo = scene.binding();
  const another = () => scene.tasks();
  const said = `dial tcp 127.0.0.1:3307: connection refused, password=${SECRET}`;
  const file = join(scene.folder, 'file');
  writeFileSync(file, '');
  mkdirSync(join(scene.folder, 'empty'));
  return await Promise.resolve({
    tasks: another(),
    another,
    repo,
    registration: { beadsDir: '.beads' },
    people: ['Ana', 'bo@example.com'] as const,
    secrets: [SECRET],
    makeTicket: scene.makeTicket,
    look: scene.look,
    edit: scene.edit,
    comment: scene.comment,
    duplicateMailbox: async (ticket, node) => {
      scene.add({ title: `${ticket}:${node}`, parent: ticket });
      return await Promise.resolve();
    },
    outOfReach: async ({ ticket }) => {
      scene.set(ticket, { status: 'hooked' });
      return await Promise.resolve({ transition: { parentStatus: 'in_progress', taskStatus: 'in_progress' }, says: /\bopen\b/ });
    },
    refusedRepos: [
      { repo: { ...scene.binding('app', {}), taskConfig: repo.taskConfig }, code: 'task_config_invalid' },
      { repo: scene.binding('app', { beadsDir: 'nowhere' }), code: 'task_missing' },
      { repo: scene.binding('app', { beadsDir: file }), code: 'task_config_invalid' },
      { repo: scene.binding('app', { beadsDir: '' }), code: 'task_config_invalid' },
      { repo: scene.binding('app', { beadsDir: 7 }), code: 'task_config_invalid' },
      // No `bd init` was ever run there.
      { repo: scene.binding('app', { beadsDir: join(scene.folder, 'empty') }), code: 'task_missing' },
      { repo: scene.binding('a'.repeat(251)), code: 'task_config_invalid' },
    ],
    failNext: (when) => scene.failNext({ text: said, effect: when === 'after', echo: true }),
    halfDone: () => scene.failNext({ text: said, verbs: ['create'], after: 1 }),
    tearDown: scene.remove,
  });
}

const lacks = { 'one writer at a time': 'Beads has no compare-and-set: of two servers that read at the same moment, both write' };

describe('Beads', () => {
  const leftOut: string[] = [];
  taskSystemConformance({ name: 'beads', test, setUp, lacks, leftOut: (name) => leftOut.push(name) });

  test('only what Beads does not have is left out', () => {
    expect(leftOut).toEqual(['two servers at once make one mailbox each', 'servers that comment at once lose nothing and double nothing']);
  });
});
