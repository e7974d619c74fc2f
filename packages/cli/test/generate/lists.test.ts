import { describe, expect, test } from 'vitest';
import { draftWith, USUAL } from '../../src/generate/answers.js';
import { readRoles } from '../../src/generate/roles.js';
import { readSources, sourcesFlag } from '../../src/generate/sources.js';

describe('trackers', () => {
  test.each([
    ['github', [{ kind: 'github' }]],
    ['github, linear', [{ kind: 'github' }, { kind: 'linear' }]],
    ['github:repository=acme/app', [{ kind: 'github', repository: 'acme/app' }]],
    ['github:labels=bug', [{ kind: 'github', labels: ['bug'] }]],
    ['github:labels=bug+needs work+a%2Bb', [{ kind: 'github', labels: ['bug', 'needs work', 'a+b'] }]],
    ['slack:channel=#dev:contains=fix%3A%20now%2C please:mentioned', [{ kind: 'slack', channel: '#dev', contains: 'fix: now, please', mentioned: true }]],
    ['slack:mentioned=false', [{ kind: 'slack', mentioned: false }]],
    ['markdown:path=a=b.md', [{ kind: 'markdown', path: 'a=b.md' }]],
  ])('%s', (text, sources) => {
    expect(readSources(text)).toEqual(sources);
    expect(readSources(sourcesFlag(sources as never))).toEqual(sources);
  });

  test.each(['', 'github,', ':labels=x', 'github:', 'github:labels', 'github:labels=', 'github:=x', 'github:path=%zz'])('%j cannot be read', (text) => {
    expect(() => readSources(text)).toThrow('`--sources` cannot be read');
  });
});

describe('roles', () => {
  test.each([
    ['planner=codex', [{ role: 'planner', agent: 'codex' }]],
    ['planner=codex/o4, fixer=/opus', [{ role: 'planner', agent: 'codex', model: 'o4' }, { role: 'fixer', model: 'opus' }]],
    ['planner=opencode/anthropic/opus', [{ role: 'planner', agent: 'opencode', model: 'anthropic/opus' }]],
  ])('%s', (text, roles) => expect(readRoles(text)).toEqual(roles));

  test.each(['', 'planner', 'planner=', 'planner=/', '=codex', 'planner=a b'])('%j cannot be read', (text) => {
    expect(() => readRoles(text)).toThrow('`--roles` cannot be read');
  });
});

test('answers win over a draft, member by member', () => {
  const draft = { ...USUAL, workflow: 'simple', roles: { 'simple:implementer': { prompt: 'Mine.', model: 'a' }, 'traditional:planner': { agent: 'pi' } } };
  expect(draftWith(draft, { task: 'x', roles: [{ role: 'implementer', model: 'b' }] })).toEqual({
    ...draft, task: 'x', roles: { 'simple:implementer': { prompt: 'Mine.', model: 'b' }, 'traditional:planner': { agent: 'pi' } },
  });
});
