import { describe, expect, test } from 'vitest';
import { castOf } from '../../src/draft/cast.js';
import { DraftError, parseDraft, type DraftInput } from '../../src/index.js';

const DRAFT: DraftInput = { version: 1, sources: [{ kind: 'github' }], agents: ['claude'], workflow: 'simple' };

describe('a draft', () => {
  test('gets its defaults', () => {
    expect(parseDraft(DRAFT)).toEqual({ ...DRAFT, roles: {}, task: '', target: 'cloud' });
    expect(parseDraft({ ...DRAFT, sources: [{ kind: 'markdown' }] }).sources).toEqual([{ kind: 'markdown', path: 'tasks.md' }]);
  });

  test.each<[string, unknown, string]>([
    ['no object', 7, 'draft'],
    ['another version', { ...DRAFT, version: 2 }, 'version'],
    ['an unknown member', { ...DRAFT, colour: 'red' }, 'colour'],
    ['no sources', { ...DRAFT, sources: [] }, 'sources'],
    ['a source twice', { ...DRAFT, sources: [{ kind: 'github' }, { kind: 'github' }] }, 'sources'],
    ['an unknown source', { ...DRAFT, sources: [{ kind: 'bugzilla' }] }, 'sources[0].kind'],
    ['a filter of another source', { ...DRAFT, sources: [{ kind: 'github', channel: 'x' }] }, 'sources[0]'],
    ['a repository without an owner', { ...DRAFT, sources: [{ kind: 'github', repository: 'tool' }] }, 'sources[0].repository'],
    ['a label that is no text', { ...DRAFT, sources: [{ kind: 'github', labels: ['a', 1] }] }, 'sources[0].labels[1]'],
    ['no agents', { ...DRAFT, agents: [] }, 'agents'],
    ['an unknown agent', { ...DRAFT, agents: ['cursor'] }, 'agents[0]'],
    ['an unknown workflow', { ...DRAFT, workflow: 'waterfall' }, 'workflow'],
    ['a role that no workflow has', { ...DRAFT, roles: { 'simple:planner': {} } }, 'simple:planner'],
    ['an unknown setting of a role', { ...DRAFT, roles: { 'simple:implementer': { colour: 'red' } } }, 'roles.simple:implementer'],
    ['a model with a blank', { ...DRAFT, roles: { 'simple:implementer': { model: 'a b' } } }, 'roles.simple:implementer.model'],
    ['a long task', { ...DRAFT, task: 'x'.repeat(601) }, 'task'],
    ['an unknown target', { ...DRAFT, target: 'moon' }, 'target'],
  ])('is refused with where it is wrong: %s', (_, draft, path) => {
    expect(() => parseDraft(draft)).toThrow(DraftError);
    try {
      parseDraft(draft);
    } catch (error) {
      expect((error as DraftError).message).toContain(path);
    }
  });

  test('is refused with all that is wrong', () => {
    const problems = ((): readonly { path: string }[] => {
      try {
        parseDraft({ ...DRAFT, version: 3, workflow: 'none', target: 'moon' });
        return [];
      } catch (error) {
        return (error as DraftError).problems;
      }
    })();
    expect(problems.map(({ path }) => path)).toEqual(['version', 'workflow', 'target']);
  });
});

describe('who plays which part', () => {
  const cast = (draft: Partial<DraftInput>): Record<string, string> => Object.fromEntries([...castOf(parseDraft({ ...DRAFT, ...draft }))].map(([role, { agent }]) => [role, agent]));

  test('the first agent builds, the second distinct one reviews', () => {
    expect(cast({ workflow: 'traditional', agents: ['codex', 'codex', 'pi'] })).toEqual({
      planner: 'codex', 'plan-reviewer': 'pi', implementer: 'codex', adversary: 'pi', fixer: 'codex', 'check-discovery': 'codex', 'check-repair': 'codex',
    });
  });

  test('an only agent plays everything', () => {
    expect(new Set(Object.values(cast({ workflow: 'traditional', agents: ['gemini'] })))).toEqual(new Set(['gemini']));
  });

  test('prototypes are made by all of them in turn', () => {
    const { 'prototype-1': first, 'prototype-2': second, 'prototype-3': third } = cast({ workflow: 'prototype', agents: ['claude', 'opencode'] });
    expect([first, second, third]).toEqual(['claude', 'opencode', 'claude']);
  });

  test('a role may name its own agent', () => {
    expect(cast({ roles: { 'simple:implementer': { agent: 'pi' }, 'traditional:implementer': { agent: 'codex' } } })['implementer']).toBe('pi');
  });
});
