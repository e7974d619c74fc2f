import { describe, expect, test } from 'vitest';
import { broadTransition } from '../../../src/task/config/broad-transition.js';
import { matchesFilters } from '../../../src/task/config/filters.js';
import type { TaskConfigLayers } from '../../../src/task/config/layers.js';
import { mergeTaskConfig } from '../../../src/task/config/merge.js';
import type { TaskConfigProblem } from '../../../src/task/config/problem.js';
import { resolveTaskConfig, transitionFor } from '../../../src/task/config/resolve.js';
import type { TaskConfigLayer, TaskConfigScope } from '../../../src/task/task-config.js';
import { Complaints } from '../../../src/task/config/complaints.js';
import { isRelayError, RelayError } from '../../../src/errors/relay-error.js';

const ALL = ['root', 'repo', 'workflow', 'node'] as const;
const system = { ownKeys: { project: ['repo'], statusDefaults: ['repo'], everywhere: ALL, nowhere: [] }, templateScopes: ALL } as const;
/** As Beads has it. */
const narrow = { ownKeys: { beadsDir: ['repo'] }, templateScopes: ['root', 'repo'] } as const;
const SUMMARY = { templates: { summaryComment: '{{summaryReport}}' } };

const resolve = (layers: TaskConfigLayers, of: Parameters<typeof resolveTaskConfig>[0]['system'] = system) => resolveTaskConfig({ system: of, layers });

function problemsOf(layers: TaskConfigLayers, of: Parameters<typeof resolveTaskConfig>[0]['system'] = system): readonly TaskConfigProblem[] {
  try {
    resolve(layers, of);
  } catch (error) {
    if (!isRelayError(error)) throw error;
    expect(error).toMatchObject({ code: 'task_config_invalid', kind: 'terminal' });
    return error.evidence['problems'] as readonly TaskConfigProblem[];
  }
  return [];
}

describe('layers', () => {
  test('nothing comes to nothing', () => {
    expect(resolve({})).toEqual({ filters: {}, transitionTo: {}, templates: {}, own: {} });
  });

  test.each<readonly [string, TaskConfigLayer[], TaskConfigLayer]>([
    ['later ones win', [{ a: 1 }, { a: 2 }, { a: 3 }], { a: 3 }],
    ['maps merge at every depth', [{ a: { b: { c: 1, d: 1 } } }, { a: { b: { d: 2 }, e: 2 } }], { a: { b: { c: 1, d: 2 }, e: 2 } }],
    ['lists replace', [{ a: [1, 2] }, { a: [3] }], { a: [3] }],
    ['an empty list replaces', [{ a: [1] }, { a: [] }], { a: [] }],
    ['an empty map adds nothing', [{ a: { b: 1 } }, { a: {} }], { a: { b: 1 } }],
    ['an empty text replaces', [{ a: 'x' }, { a: '' }], { a: '' }],
    ['false replaces', [{ a: true }, { a: false }], { a: false }],
    ['a scalar replaces a map', [{ a: { b: 1 } }, { a: 1 }], { a: 1 }],
    ['a map replaces a scalar', [{ a: 1 }, { a: { b: 1 } }], { a: { b: 1 } }],
    ['a map replaces a list', [{ a: [1] }, { a: { b: 1 } }], { a: { b: 1 } }],
    ['what is left out is inherited', [{ a: 1 }, {}], { a: 1 }],
    ['a key called like a method is a key', [{}, { toString: 'x' }], { toString: 'x' }],
  ])('%s', (_name, layers, merged) => {
    expect(mergeTaskConfig(...layers)).toEqual(merged);
  });

  test('a prototype cannot be put in', () => {
    const merged = mergeTaskConfig({ a: 1 }, JSON.parse('{"__proto__": {"evil": true}, "b": {"__proto__": {"evil": true}}}') as TaskConfigLayer);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect((merged as { evil?: boolean }).evil).toBeUndefined();
    expect(({} as { evil?: boolean }).evil).toBeUndefined();
  });

  test('nothing that is put in changes, and nothing is shared', () => {
    const low = { filters: { labels: ['a'] }, everywhere: { list: [{ x: 1 }] } };
    const high = { filters: { issueTypes: ['Bug'] } };
    const before = structuredClone([low, high]);
    const merged = mergeTaskConfig(low, high) as { filters: { labels: string[] }; everywhere: { list: { x: number }[] } };
    merged.filters.labels.push('b');
    merged.everywhere.list[0]!.x = 2;
    expect([low, high]).toEqual(before);
  });

  // The reference validated them and then dropped them.
  test.each(ALL)('transitionTo, assignee, filters and templates of the %s reach the result (pitfall 30)', (scope) => {
    const layer = { assignee: 'ada', transitionTo: { parentStatus: 'P', taskStatus: 'T' }, filters: { parentStatuses: ['Open'], issueTypes: ['Bug'], labels: ['x'], assignees: ['ada'] }, ...SUMMARY };
    expect(resolve({ [scope]: layer })).toEqual({ ...layer, own: {} });
  });

  test('each scope yields to the next', () => {
    const layers: Record<TaskConfigScope, TaskConfigLayer> = {
      root: { assignee: 'root', transitionTo: { parentStatus: 'root', taskStatus: 'root' }, filters: { labels: ['root'], assignees: ['root'] } },
      repo: { assignee: 'repo', transitionTo: { parentStatus: 'repo' }, filters: { labels: ['repo'] }, project: 'ABC' },
      workflow: { assignee: 'workflow', filters: { labels: ['workflow', 'more'] } },
      node: { assignee: '' },
    };
    expect(resolve(layers)).toEqual({
      assignee: '', transitionTo: { parentStatus: 'repo', taskStatus: 'root' }, filters: { labels: ['workflow', 'more'], assignees: ['root'] }, templates: {}, own: { project: 'ABC' },
    });
    const { node: _node, ...rest } = layers;
    expect(resolve(rest).assignee).toBe('workflow');
  });
});

describe('what may not be', () => {
  test.each<readonly [string, TaskConfigLayers, string[]]>([
    ['an unknown key', { root: { asignee: 'x' } }, ['asignee root']],
    ['an unknown key further down', { workflow: { filters: { label: ['x'] } } }, ['filters.label workflow']],
    ['an unknown template', { node: { templates: { summary: '{{summaryReport}}' } } }, ['templates.summary node']],
    ['a key named like a method', { root: { toString: 'x' } }, ['toString root']],
    ['the wrong kind of section', { repo: { filters: ['x'] } }, ['filters repo']],
    ['the wrong kind of assignee', { repo: { assignee: 5 } }, ['assignee repo']],
    ['a text instead of a list', { workflow: { filters: { labels: 'x' } } }, ['filters.labels workflow']],
    ['a number in a list', { workflow: { filters: { labels: ['x', 1] } } }, ['filters.labels[1] workflow']],
    ['an empty text in each filter', { root: { filters: { parentStatuses: [''], issueTypes: [' '], labels: ['a', ''], assignees: [''] } } }, ['filters.parentStatuses[0] root', 'filters.issueTypes[0] root', 'filters.labels[1] root', 'filters.assignees[0] root']],
    ['an empty status', { root: { transitionTo: { parentStatus: '' } } }, ['transitionTo.parentStatus root']],
    ['a status that is a list', { node: { transitionTo: { taskStatus: ['x'] } } }, ['transitionTo.taskStatus node']],
    ['a template with an unknown name', { repo: { templates: { feedbackComment: '{{feedbackReport}} {{x}}' } } }, ['templates.feedbackComment repo']],
    ['a template without what it must hold', { repo: { templates: { summaryComment: 'Done' } } }, ['templates.summaryComment repo']],
    ['a template that is no text', { repo: { templates: { summaryComment: { a: 1 } } } }, ['templates.summaryComment repo']],
    ['a null', { root: { assignee: null } }, ['assignee root']],
    ['a null that a later scope hides', { root: { assignee: null }, node: { assignee: 'x' } }, ['assignee root']],
    ['a null in a list', { workflow: { filters: { labels: ['a', null] } } }, ['filters.labels[1] workflow']],
    ['a null in what only the task system knows', { repo: { statusDefaults: { list: [{ deep: null }] } } }, ['statusDefaults.list[0].deep repo']],
    ['an own key in the wrong scope', { root: { project: 'ABC' }, workflow: { statusDefaults: {} } }, ['project root', 'statusDefaults workflow']],
    ['an own key in no scope', { repo: { nowhere: 1 } }, ['nowhere repo']],
    ['everything at once', { root: { asignee: 'x', filters: { labels: [''] } }, node: { transitionTo: null } }, ['transitionTo node', 'asignee root', 'filters.labels[0] root']],
  ])('%s', (_name, layers, expected) => {
    const found = problemsOf(layers);
    expect(found.map(({ path, scope }) => `${path} ${scope}`)).toEqual(expected);
    for (const { text, hint, path } of found) {
      expect(text.startsWith(`${path} `)).toBe(true);
      expect(text).toMatch(/(?:the taskConfig of the (?:machine|repository|workflow|node)).*\.$/);
      expect(hint).toMatch(/^\p{Lu}.*[.]$/u);
    }
  });

  test('a mistake belongs to the scope whose value counts', () => {
    expect(problemsOf({ root: { filters: { labels: ['', 'a'] } }, workflow: { filters: { issueTypes: [1] } } }).map(({ path, scope }) => [path, scope])).toEqual([['filters.issueTypes[0]', 'workflow'], ['filters.labels[0]', 'root']]);
    // The list of the workflow replaces the one with the mistake.
    expect(problemsOf({ root: { filters: { labels: [''] } }, workflow: { filters: { labels: ['a'] } } })).toEqual([]);
  });

  test.each(ALL)('where a task system allows templates (%s)', (scope) => {
    expect(problemsOf({ [scope]: SUMMARY }, narrow).map(({ path }) => path)).toEqual(['root', 'repo'].includes(scope) ? [] : ['templates']);
    expect(problemsOf({ [scope]: { beadsDir: '/x' } }, narrow).map(({ path }) => path)).toEqual(scope === 'repo' ? [] : ['beadsDir']);
  });

  test('another task system\'s key is unknown', () => {
    expect(problemsOf({ repo: { beadsDir: '/x' } })[0]).toMatchObject({ path: 'beadsDir', text: 'beadsDir in the taskConfig of the repository (config.yaml) is no setting.' });
  });

  test('the error says every mistake, with what to do about it', () => {
    expect(() => resolve({ root: { asignee: 'x', b: 1 }, node: { filters: 5 } })).toThrow([
      'There are 3 mistakes in taskConfig:',
      '- asignee in the taskConfig of the machine (config.yaml) is no setting. Write assignee if that is what you mean, or remove it.',
      '- b in the taskConfig of the machine (config.yaml) is no setting. Remove it; known here are assignee, filters, transitionTo, templates, project, statusDefaults, everywhere, nowhere.',
      '- filters in the taskConfig of the node must be a map with parentStatuses, issueTypes, labels, assignees. Write its keys below it.',
    ].join('\n'));
    expect(problemsOf({ root: { asignee: 'x' } })[0]?.hint).toBe('Write assignee if that is what you mean, or remove it.');
    expect(() => resolve({ root: { asignee: 'x' } })).toThrow(/^asignee in the taskConfig of the machine \(config.yaml\) is no setting\.$/);
    expect(() => resolve({ root: Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`k${index}`, 1])) })).toThrow(/^There are 70 mistakes in taskConfig:\n(?:- .*\n){50}- and 20 more\.$/);
  });

  test('a node is named where it is known', () => {
    expect(() => resolveTaskConfig({ system, layers: { node: { b: 1 } }, node: 'review' })).toThrow('b in the taskConfig of the node review is no setting.');
    expect(() => resolveTaskConfig({ system, layers: { node: { project: 'A' } }, node: 'review' })).toThrow('project cannot be set in the taskConfig of the node review.');
    expect(() => resolveTaskConfig({ system, layers: { node: { assignee: null } }, node: 'review' })).toThrow('assignee in the taskConfig of the node review is null.');
  });

  test('complaints are gathered, each once, and other failures are not kept', async () => {
    const complaints = new Complaints();
    expect(complaints.of(() => 5)).toBe(5);
    expect(complaints.of(() => resolve({ root: { b: 1, c: 1 } }))).toBeUndefined();
    expect(await complaints.whether(async () => await Promise.resolve(resolve({ root: { b: 1 } })))).toBeUndefined();
    complaints.add('Odd.', 'Mend it.', 'x');
    expect(() => complaints.of(() => {
      throw new TypeError('A bug.');
    })).toThrow('A bug.');
    await expect(complaints.whether(() => Promise.reject(new RelayError('task_unavailable', 'Away.')))).rejects.toMatchObject({ code: 'task_unavailable' });
    expect(complaints.problems.map(({ path, text }) => [path, text.split(' ')[0]])).toEqual([['b', 'b'], ['c', 'c'], ['x', 'Odd.']]);
    expect(() => complaints.refuse()).toThrow(/^There are 3 mistakes/);
    expect(() => new Complaints().refuse()).not.toThrow();
  });
});

describe('states', () => {
  const usual = { start: { parentStatus: 'To Do' }, work: { parentStatus: 'Doing', taskStatus: 'Doing' }, complete: { taskStatus: 'Done' }, end: { parentStatus: 'Done' }, recovery: { taskStatus: 'To Do' } };

  test.each([
    ['start', {}, { parentStatus: 'To Do' }],
    ['start', { parentStatus: 'P', taskStatus: 'T' }, { parentStatus: 'P' }],
    ['work', {}, { parentStatus: 'Doing', taskStatus: 'Doing' }],
    ['work', { parentStatus: 'P' }, { parentStatus: 'P', taskStatus: 'Doing' }],
    ['work', { taskStatus: 'T' }, { parentStatus: 'Doing', taskStatus: 'T' }],
    ['complete', { parentStatus: 'P', taskStatus: 'T' }, { taskStatus: 'Done' }],
    ['end', { parentStatus: 'P', taskStatus: 'T' }, { parentStatus: 'P' }],
    ['recovery', { parentStatus: 'P', taskStatus: 'T' }, { taskStatus: 'To Do' }],
  ] as const)('at %s with %j', (point, transitionTo, expected) => {
    expect(transitionFor(point, { config: { transitionTo }, default: usual[point] })).toEqual(expected);
  });

  test.each(['root', 'repo', 'workflow'] as const)('a status of the %s counts at the end, and there is a warning (pitfall 31)', (scope) => {
    const layers = { [scope]: { transitionTo: { parentStatus: 'Doing' } } };
    expect(transitionFor('end', { config: resolve(layers), default: usual.end })).toEqual({ parentStatus: 'Doing' });
    expect(broadTransition(layers)?.text).toContain('a ticket is not closed when it is done');
    expect(broadTransition({ ...layers, node: { transitionTo: { parentStatus: 'Done' } } })).toBeUndefined();
    expect(broadTransition({ ...layers, node: { transitionTo: { taskStatus: 'x' } } })).toBeDefined();
    expect(broadTransition({ [scope]: { transitionTo: { taskStatus: 'Doing' } } })).toBeUndefined();
  });
});

describe('filters', () => {
  const ticket = { status: 'Open', type: 'Bug', labels: ['a', 'b'], assignee: ['Ada@Example.com', '5b10', 'Ada L.'] };

  test.each([
    [{}, true],
    [{ parentStatuses: [], issueTypes: [], labels: [], assignees: [] }, true],
    [{ parentStatuses: ['Done', 'Open'] }, true],
    [{ parentStatuses: ['open'] }, false],
    [{ issueTypes: ['Task', 'Bug'] }, true],
    [{ issueTypes: ['bug'] }, false],
    [{ labels: ['b', 'a'] }, true],
    [{ labels: ['a', 'c'] }, false],
    [{ labels: ['A'] }, false],
    [{ assignees: ['ADA@example.COM'] }, true],
    [{ assignees: ['bob', ' ada l. '] }, true],
    [{ assignees: ['bob'] }, false],
    [{ assignees: ['currentUser()'] }, true],
    [{ assignees: ['bob', 'currentuser()'] }, true],
    [{ parentStatuses: ['Open'], labels: ['c'] }, false],
  ])('%j: %s', (filters, expected) => {
    expect(matchesFilters(ticket, { filters }, { self: ['ada@example.com', '5b10'] })).toBe(expected);
  });

  test('currentUser() is nobody where nobody signs in, and nobody is assigned to a ticket without assignee', () => {
    expect(matchesFilters(ticket, { filters: { assignees: ['currentUser()'] } })).toBe(false);
    expect(matchesFilters({ ...ticket, assignee: ['currentUser()'] }, { filters: { assignees: ['currentUser()'] } })).toBe(false);
    expect(matchesFilters({ ...ticket, assignee: [] }, { filters: { assignees: ['currentUser()'] } }, { self: ['ada'] })).toBe(false);
    expect(matchesFilters({ status: 'Open', labels: [], assignee: [] }, { filters: { issueTypes: ['Bug'] } })).toBe(false);
    // Who gets mailboxes is not who is worked for.
    expect(matchesFilters({ ...ticket, assignee: [] }, resolve({ root: { assignee: 'ada' } }))).toBe(true);
  });
});
