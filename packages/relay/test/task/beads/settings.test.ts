import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { labelProblem } from '../../../src/task/beads/labels.js';
import { resolveTaskConfig } from '../../../src/task/config/resolve.js';
import { scene, specs } from './scene.js';

describe('beadsDir', () => {
  it('is asked for when a repository is registered, and stored as the real path of a folder that exists', async () => {
    const at = scene();
    const tasks = at.tasks();
    const repo = { name: 'app', path: at.path };
    expect(await tasks.registrationFields({ repo, values: {} })).toEqual([{ name: 'beadsDir', prompt: expect.stringContaining('Beads') as string, initial: at.workspace }]);
    expect(await tasks.registrationFields({ repo, values: { beadsDir: 'x' } })).toEqual([]);
    mkdirSync(join(at.folder, 'plain'));
    expect((await tasks.registrationFields({ repo: { name: 'plain', path: join(at.folder, 'plain') }, values: {} }))[0]).not.toHaveProperty('initial');
    symlinkSync(at.workspace, join(at.folder, 'link'));
    for (const beadsDir of [join(at.folder, 'link'), '.beads', ' .beads ', '../link']) expect(tasks.registrationConfig({ repo, values: { beadsDir } })).toEqual({ beadsDir: at.workspace });
    for (const [values, code] of [[{}, 'task_config_invalid'], [{ beadsDir: ' ' }, 'task_config_invalid'], [{ beadsDir: 'nowhere' }, 'task_missing'], [{ beadsDir: '.beads', project: 'x' }, 'task_config_invalid']] as const) {
      expect(() => tasks.registrationConfig({ repo, values })).toThrow(expect.objectContaining({ code }));
    }
  });

  it('is a setting of repositories: one for all repositories does not count, and none has it elsewhere', async () => {
    const at = scene();
    const tasks = at.tasks();
    await expect(tasks.openRepo({ name: 'app', path: at.path, taskConfig: { beadsDir: at.workspace }, ownTaskConfig: {} })).rejects.toMatchObject({ code: 'task_config_invalid', text: '`taskConfig.beadsDir` is missing from the repository app.' });
    const beadsDir = { beadsDir: at.workspace };
    expect(resolveTaskConfig({ system: tasks, layers: { repo: beadsDir } }).own).toEqual(beadsDir);
    for (const layers of [{ root: beadsDir }, { workflow: beadsDir }, { node: beadsDir }]) expect(() => resolveTaskConfig({ system: tasks, layers })).toThrow(/beadsDir cannot be set/);
  });

  it('leads to one workspace by whatever way it is named', async () => {
    const at = scene();
    symlinkSync(at.workspace, join(at.folder, 'link'));
    const tasks = at.tasks();
    const identities = await Promise.all([at.workspace, '.beads', join(at.folder, 'link')].map(async (beadsDir) => (await tasks.openRepo(at.binding('app', { beadsDir }))).identity));
    expect(new Set(identities)).toEqual(new Set([`beads:${at.workspace}#repo:app`]));
  });
});

describe('settings', () => {
  it('have templates for all tickets or a repository, and none for a workflow or node', () => {
    const tasks = scene().tasks();
    const templates = { templates: { summaryComment: '{{summaryReport}}' } };
    for (const layers of [{ root: templates }, { repo: templates }]) expect(resolveTaskConfig({ system: tasks, layers }).templates).toEqual(templates.templates);
    for (const layers of [{ workflow: templates }, { node: templates }]) expect(() => resolveTaskConfig({ system: tasks, layers })).toThrow(/templates cannot be set/);
  });

  it('keep no claims apart by person', async () => {
    expect((await scene().open()).owner).toBeUndefined();
  });

  it('are refused for a repository whose name cannot be a label', async () => {
    expect(labelProblem('a'.repeat(250))).toBeUndefined();
    for (const name of ['a'.repeat(251), 'a b', '-a', '.a', 'a/b', 'ä', '']) expect(labelProblem(name)).toContain('at most 250');
    const at = scene();
    await expect(at.tasks().openRepo(at.binding('a,b'))).rejects.toMatchObject({ code: 'task_config_invalid' });
  });
});

describe('the assignee of a mailbox', () => {
  it('is set where it differs, and left alone where none is named', async () => {
    const at = scene();
    const repo = await at.open();
    const { ticket, implement } = await at.withMailboxes(repo);
    const gave = (): readonly (readonly string[])[] => at.callsOf('update').filter((argv) => argv.includes('--assignee'));
    await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket, undefined, '') });
    expect(gave()).toEqual([]);
    await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket, undefined, 'Ana') });
    await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket, undefined, 'Ana') });
    await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket) });
    expect(gave()).toHaveLength(2);
    expect(at.issue(implement).assignee).toBe('Ana');
    await repo.transition({ ticket, mailbox: implement, transition: {}, assignee: '' });
    expect(at.issue(implement).assignee).toBeUndefined();
  });
});
