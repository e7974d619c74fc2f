import { describe, expect, test } from 'vitest';
import { isWorkNode, workNodes } from '../../src/workflow/definition.js';
import { parseWorkflow } from '../../src/workflow/parse.js';
import { problemText, workflowError } from '../../src/workflow/problem.js';
import { fixture, fixtures, parsed, placesOf, problems, withLines } from './workflows.js';

describe('what is accepted', () => {
  test.each([...fixtures])('%s', (_file, text) => {
    const result = parseWorkflow(text);
    expect(result).toMatchObject({ warnings: [] });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test('a workflow has its defaults, and its nodes in the order of the file', () => {
    const workflow = parsed(fixture('review-loop.yaml'));
    expect(Object.keys(workflow.nodes)).toEqual(['start', 'build', 'clarify', 'review', 'approve', 'end']);
    expect(workflow).toMatchObject({ name: 'reviewLoop', repos: ['shop', 'billing'], cleanupRunnerOnEnd: true, taskConfig: { filters: { labels: ['agents'], assignees: ['currentUser()'] } } });
    expect(parsed(fixture('minimal.yaml')).cleanupRunnerOnEnd).toBe(false);
    expect(workflow.nodes['start']).toEqual({ type: 'lifecycle', onSuccess: [{ target: 'build' }], onFailure: [] });
    expect(workflow.nodes['clarify']).toMatchObject({ type: 'hitl', autoReject: true });
    expect(workflow.nodes['approve']).toMatchObject({ type: 'hitl', autoReject: false, onFailure: [{ target: 'build' }, { target: 'review' }] });
    expect(workflow.nodes['end']).toEqual({ type: 'lifecycle', taskConfig: { transitionTo: { parentStatus: 'Done' } }, onSuccess: [], onFailure: [] });
    expect(workNodes(workflow).map(([name]) => name)).toEqual(['approve', 'build', 'clarify', 'review']);
  });

  test('aliases stand for what they name', () => {
    const { check } = parsed(fixture('anchors.yaml')).nodes;
    expect(check !== undefined && isWorkNode(check) ? [check.agent, check.onFailure] : undefined).toEqual(['builder', [{ target: 'build' }]]);
  });

  test.each([
    ['lines that end in CRLF', fixture('review-loop.yaml').replaceAll('\n', '\r\n')],
    ['a byte order mark', `\u{FEFF}${fixture('review-loop.yaml')}`],
    ['a document marker', `---\n${fixture('review-loop.yaml')}...\n`],
    ['bytes', Buffer.from(`\u{FEFF}${fixture('review-loop.yaml')}`)],
  ])('%s', (_name, text) => {
    const result = parseWorkflow(text);
    expect('workflow' in result ? result.workflow : result.problems).toEqual(parsed(fixture('review-loop.yaml')));
  });

  test('a route whose advice is blank has none', () => {
    expect(parsed(withLines({ route: 'when: "  "' })).nodes['build']?.onSuccess).toEqual([{ target: 'end' }]);
  });
});

/** Each line of the table: what is wrong, the text, and where each mistake is found. */
const REFUSED: readonly (readonly [name: string, text: string | Uint8Array, places: readonly string[]])[] = [
  ['1 syntax', 'name: a: b', ['1 1:7']],
  ['1 a tab', 'name: sample\nnodes:\n\tstart:\n', ['1 3:1']],
  ['1 nothing', '', ['1 1:1']],
  ['1 only a comment', '# soon\n', ['1 1:1']],
  ['1 a list', '- name', ['1 1:1', '3 1:1', '4 1:1', '5 1:1', '8 1:1']],
  ['1 a text', 'hello', ['1 1:1', '3 1:1', '4 1:1', '5 1:1', '8 1:1']],
  ['1 two documents', `${fixture('minimal.yaml')}---\nname: other\n`, ['1 9:1']],
  ['1 a key twice', withLines({ root: 'name: other' }), ['1 3:1 name']],
  ['1 a key twice further down', withLines({ build: 'agent: other' }), ['1 15:5 nodes.build.agent']],
  ['1 a merge key', withLines({ root: 'taskConfig: &a {assignee: x}', build: 'taskConfig:\n  <<: *a' }), ['1 17:7 nodes.build.taskConfig']],
  ['1 a tag', withLines({ root: 'taskConfig: !secret abc' }), ['1 3:13']],
  ['1 binary', withLines({ root: 'taskConfig: {assignee: !!binary aGk=}' }), ['1 3:33 taskConfig.assignee']],
  ['1 YAML 1.1', `%YAML 1.1\n---\n${fixture('minimal.yaml')}`, ['1 1:1']],
  ['1 an alias to nothing', withLines({ build: 'nudgePrompt: *later' }), ['1 15:18 nodes.build.nudgePrompt']],
  ['1 a key that is a number', withLines({ root: '12: x' }), ['1 3:1']],
  ['1 a key that is a list', withLines({ root: '? [a]\n: x' }), ['1 3:3']],
  ['1 a key that would be a prototype', withLines({ root: 'taskConfig:\n  __proto__: {assignee: x}' }), ['1 4:3 taskConfig']],
  ['1 a control character', withLines({ build: 'nudgePrompt: "a\\0b"' }), ['1 15:18 nodes.build.nudgePrompt']],
  ['1 half a character', withLines({ build: 'nudgePrompt: "\\uD800"' }), ['1 15:18 nodes.build.nudgePrompt']],
  ['1 not a number', withLines({ root: 'taskConfig: {x: .nan}' }), ['1 3:17 taskConfig.x']],
  ['1 not UTF-8', Buffer.from([0x6e, 0x61, 0xff]), ['1 1:1']],
  ['1 too large', `# ${'x'.repeat(1024 * 1024)}`, ['1 1:1']],
  ...['closeOn', 'tasks', 'runner', 'runnerPlugin', 'harnessPlugin', 'taskPlugin', 'pollIntervalSeconds', 'jql', 'executorPlugin', 'temporalAddress', 'temporalNamespace', 'constructor', 'Name'].map(
    (key) => [`1 the key ${key}`, withLines({ root: `${key}: x` }), [`1 3:1 ${key}`]] as const,
  ),
  ...['when', 'timeout', 'prompt', 'onsuccess'].map((key) => [`1 the key ${key} of a node`, withLines({ build: `${key}: x` }), [`1 15:5 nodes.build.${key}`]] as const),
  ['1 an unknown key of start', withLines({ start: 'label: x' }), ['1 7:5 nodes.start.label']],
  ['1 an unknown key of a route', withLines({ route: 'if: x' }), ['1 13:9 nodes.build.onSuccess[0].if']],
  ['1 a name that is a number', 'name: 1', ['1 1:7 name', '4 1:1', '5 1:1', '8 1:1']],
  ['1 repos that is a text', withLines({}).replace('[shop]', 'shop'), ['1 2:8 repos']],
  ['1 a repository that is a number', withLines({}).replace('[shop]', '[shop, 1]'), ['1 2:15 repos[1]']],
  ['1 a flag in quotes', withLines({ root: 'cleanupRunnerOnEnd: "true"' }), ['1 3:21 cleanupRunnerOnEnd']],
  ['1 yes is a text', withLines({ root: 'cleanupRunnerOnEnd: yes' }), ['1 3:21 cleanupRunnerOnEnd']],
  ['1 taskConfig that is a list', withLines({ root: 'taskConfig: [assignee]' }), ['1 3:13 taskConfig']],
  ['1 nodes that is a list', 'name: a\nrepos: [b]\nnodes: [start, end]', ['1 3:8 nodes']],
  ['1 a node that is a text', withLines({}).replace('taskConfig: {}', 'x: y').replace('  end:\n    x: y', '  end: last'), ['1 15:8 nodes.end']],
  ['1 a route that is a text', withLines({}).replace('- target: end', '- end'), ['1 12:9 nodes.build.onSuccess[0]', '14 15:3 nodes.end']],
  ['1 a route without target', withLines({}).replace('- target: end', '- when: x'), ['1 12:9 nodes.build.onSuccess[0]', '14 15:3 nodes.end']],
  ['1 routes that are nothing', withLines({}).replace('    onFailure:\n      - target: build', '    onFailure:'), ['1 13:5 nodes.build.onFailure']],
  ['2 taskConfig is null', withLines({ root: 'taskConfig:' }), ['2 3:1 taskConfig']],
  ['2 taskConfig of a node is null', withLines({ build: 'taskConfig: null' }), ['2 15:17 nodes.build.taskConfig']],
  ['2 a null inside', withLines({ root: 'taskConfig:\n  filters:\n    labels: [a, ~]\n    assignees:\n' }), ['2 5:17 taskConfig.filters.labels[1]', '2 6:5 taskConfig.filters.assignees']],
  ['2 a null in a map in a list', withLines({ end: '' }).replace('taskConfig: {}', 'taskConfig: {own: [{deep: [null]}]}'), ['2 16:32 nodes.end.taskConfig.own[0].deep[0]']],
  ...['Sample', '1a', 'my-flow', 'my_flow', 'my flow', '""', 'é', `a${'b'.repeat(100)}`].map((name) => [`3 the name ${name.slice(0, 20)}`, withLines({}).replace('sample', name), ['3 1:7 name']] as const),
  ['3 no name', withLines({}).replace('name: sample\n', ''), ['3 1:1']],
  ['4 no repos', withLines({}).replace('repos: [shop]\n', ''), ['4 1:1']],
  ['4 no repository', withLines({}).replace('[shop]', '[]'), ['4 2:1 repos']],
  ['4 a repository twice', withLines({}).replace('[shop]', '[shop, a, shop]'), ['4 2:18 repos[2]']],
  ['4 a repository without name', withLines({}).replace('[shop]', '[" "]'), ['4 2:9 repos[0]']],
  ['5 no start', withLines({}).replace('  start:', '  begin:'), ['5 3:1 nodes', '10 4:3 nodes.begin', '10 4:3 nodes.begin', '10 4:3 nodes.begin', '10 4:3 nodes.begin']],
  ['5 no nodes', 'name: a\nrepos: [b]', ['5 1:1', '8 1:1']],
  ...['type: agent', 'agent: x', 'description: x', 'nudgePrompt: x', 'autoReject: true'].map((line) => [`6 start with ${line}`, withLines({ start: line }), [`6 7:5 nodes.start.${line.split(':')[0] ?? ''}`]] as const),
  ['7 a failure of start', withLines({ start: 'onFailure:\n  - target: build' }), ['7 7:5 nodes.start.onFailure']],
  ['7 two ways from start', withLines({ start: '  - target: end' }), ['7 5:5 nodes.start.onSuccess']],
  ['7 no way from start', withLines({}).replace('    onSuccess:\n      - target: build\n', '    onSuccess: []\n'), ['7 5:5 nodes.start.onSuccess', '14 6:3 nodes.build', '14 14:3 nodes.end']],
  ['7 start has nothing', withLines({}).replace('  start:\n    onSuccess:\n      - target: build\n', '  start:\n'), ['7 4:3 nodes.start', '14 5:3 nodes.build', '14 13:3 nodes.end']],
  ['8 terminal is no end', withLines({}).replace('  end:', '  terminal:').replace('target: end', 'target: terminal'), ['8 3:1 nodes', ...Array.from({ length: 5 }, () => '10 15:3 nodes.terminal')]],
  ...['type: agent', 'agent: x', 'description: x', 'nudgePrompt: x', 'autoReject: false'].map((line) => [`9 end with ${line}`, withLines({ end: line }), [`9 17:5 nodes.end.${line.split(':')[0] ?? ''}`]] as const),
  ['9 end with a route', withLines({ end: 'onSuccess: [{target: build}]\nonFailure: [{target: build}]' }), ['9 17:5 nodes.end.onSuccess', '9 18:5 nodes.end.onFailure']],
  ['10 another type', withLines({}).replace('type: agent', 'type: human'), ['10 8:11 nodes.build.type']],
  ['10 no type', withLines({}).replace('    type: agent\n', ''), ['10 7:3 nodes.build']],
  ['10 no agent', withLines({}).replace('    agent: builder\n', ''), ['10 7:3 nodes.build']],
  ['10 agent is blank', withLines({}).replace('builder', '" "'), ['10 9:12 nodes.build.agent']],
  ['10 description is empty', withLines({}).replace('Build it.', '""'), ['10 10:18 nodes.build.description']],
  ['10 no success', withLines({}).replace('    onSuccess:\n      - target: end\n', ''), ['10 7:3 nodes.build', '14 13:3 nodes.end']],
  ['10 no failure', withLines({}).replace('    onFailure:\n      - target: build', '    onFailure: []'), ['10 13:5 nodes.build.onFailure']],
  ...['../up', 'a b', 'a:b', '_a', 'a.', 'größe', 'a'.repeat(65)].map((name) => [`10 a node called ${name.slice(0, 10)}`, withLines({}).replaceAll('build:', `${JSON.stringify(name)}:`).replaceAll('target: build', `target: ${JSON.stringify(name)}`), [expect.stringMatching(/^10 7:3 /) as unknown as string]] as const),
  ['10 names that differ in capitals', withLines({}).replace('target: end', 'target: Build\n      - target: end\n').replace('  end:', '  Build: {type: agent, agent: a, description: b, onSuccess: [{target: end}], onFailure: [{target: build}]}\n  end:'), ['10 17:3 nodes.Build']],
  ['11 a nudge with an unknown name', withLines({ build: 'nudgePrompt: "{{agent}} and {{ ticket }}"' }), ['11 15:18 nodes.build.nudgePrompt', '11 15:18 nodes.build.nudgePrompt']],
  ['11 a description with an unknown name', withLines({}).replace('Build it.', '"{{workflow}}"'), ['11 10:18 nodes.build.description']],
  ['12 a way back to start', withLines({ build: '  - target: start' }), ['12 15:17 nodes.build.onFailure[1].target']],
  ['13 a mistyped target', withLines({ build: '  - target: biuld' }), ['13 15:17 nodes.build.onFailure[1].target']],
  ['13 a target named like a method', withLines({ build: '  - target: toString' }), ['13 15:17 nodes.build.onFailure[1].target']],
  ['14 an island', withLines({}).replace('  end:', '  idle: {type: agent, agent: a, description: b, onSuccess: [{target: idle}], onFailure: [{target: end}]}\n  end:'), ['14 15:3 nodes.idle']],
  ['14 end is an island', withLines({}).replace('target: end', 'target: build'), ['14 15:3 nodes.end']],
];

describe('what is refused, and where', () => {
  test.each(REFUSED)('%s', (_name, text, places) => {
    expect(placesOf(text)).toEqual(places);
  });

  test.each(REFUSED)('%s: in sentences', (_name, text) => {
    for (const problem of problems(text)) {
      expect(problem.text).toMatch(/^[\p{L}"].{8,}\.$/su);
      expect(problem.hint).toMatch(/^\p{Lu}.{5,}[.)]$/su);
    }
  });

  test('all mistakes are found at once, in the order of the rules', () => {
    const text = withLines({ root: 'jql: x', start: 'agent: x', build: '  - target: start\n  - target: nowhere\ntaskConfig: {a: [~]}\nnudgePrompt: "{{x}}"' }).replace('sample', 'Sample').replace('[shop]', '[]').replace('type: agent', 'type: x');
    expect(problems(text).map(({ rule }) => rule)).toEqual([1, 2, 3, 4, 6, 10, 11, 12, 13]);
  });

  test('a file full of mistakes is told the first hundred, and quickly', () => {
    const text = withLines({ root: Array.from({ length: 5000 }, (_, index) => `unknown${index}: x`).join('\n') });
    const found = problems(text);
    expect(found).toHaveLength(101);
    expect(found.at(-1)?.text).toBe('There are 4900 more mistakes.');
  });
});

describe('the nearest valid word', () => {
  test.each([
    [withLines({ root: 'taskconfig: {}' }), 'Write taskConfig if that is what you mean, or remove it.'],
    [withLines({ build: 'nudge: x' }), 'Write nudgePrompt if that is what you mean, or remove it.'],
    [withLines({ build: 'on_success: x' }), 'Write onSuccess if that is what you mean, or remove it.'],
    [withLines({ route: 'wen: x' }), 'Write when if that is what you mean, or remove it.'],
    [withLines({ build: '  - target: biuld' }), 'Write build if that is what you mean, or add the node.'],
    [withLines({}).replace('type: agent', 'type: agnet'), 'Write agent.'],
    [withLines({}).replace('  end:', '  ende:').replace('target: end', 'target: ende'), 'Rename ende if that is what you mean; the name must be exactly end.'],
    [withLines({ build: 'nudgePrompt: "{{tickets}}"' }), 'Write {{ticket}}, without blanks inside.'],
    [withLines({ build: 'when: x' }), 'Write it below "target:" in a route of onSuccess or onFailure.'],
    [withLines({ root: 'runnerPlugin: orca' }), 'Set it in config.yaml and remove it here.'],
    [withLines({ root: 'filters: {}' }), 'Write it below "taskConfig:".'],
  ])('is suggested (%#)', (text, hint) => {
    expect(problems(text).map((problem) => problem.hint)).toContain(hint);
  });

  test.each(['executorPlugin', 'temporalAddress', 'temporalNamespace', 'temporalFoo'])('%s has a sentence of its own', (key) => {
    expect(problems(withLines({ root: `${key}: x` }))[0]?.text).toBe(`"${key}" cannot be set, here or elsewhere: the journal of relay-flow is the only engine, and Temporal is not used.`);
  });
});

describe('warnings', () => {
  const warningsOf = (text: string): readonly string[] => {
    const result = parseWorkflow(text);
    return 'warnings' in result ? result.warnings.map((warning) => `${warning.line}:${warning.column} ${warning.text}`) : ['refused'];
  };

  test.each([
    ['a failure that leads to end beside others', withLines({ build: '  - target: end' }), ['15:17 A failure at build never ends a ticket: this route is not offered to the agent.']],
    ['a failure that leads to end only', withLines({}).replace('- target: build\n  end', '- target: end\n  end'), ['14:17 A failure at build never ends a ticket: this route is not offered to the agent, and no other is left for a failure.']],
    ['no success that leads to end', withLines({ build: '  - target: end' }).replace('onSuccess:\n      - target: end', 'onSuccess:\n      - target: build'), ['15:17 A failure at build never ends a ticket: this route is not offered to the agent.', '3:1 No success leads to end, so no ticket is ever done.']],
    ['autoReject without a person', withLines({ build: 'autoReject: true' }), ['15:5 autoReject has no effect at build, since nobody approves the reports of an agent node.']],
    ['a status for the whole workflow', withLines({ root: 'taskConfig:\n  transitionTo: {parentStatus: Doing}' }), ['4:3 transitionTo.parentStatus in the taskConfig of the workflow counts at start and end too, so a ticket is not closed when it is done.']],
    ['a status for the whole workflow and another for end', withLines({ root: 'taskConfig:\n  transitionTo: {parentStatus: Doing}' }).replace('taskConfig: {}', 'taskConfig: {transitionTo: {parentStatus: Done}}'), []],
    ['filters of a node', withLines({ build: 'taskConfig: {filters: {labels: [x]}}' }), ['15:18 The filters of build have no effect, since a ticket is chosen before it comes to a node.']],
    ['a status of mailboxes for the whole workflow', withLines({ root: 'taskConfig:\n  transitionTo: {taskStatus: Doing}' }), []],
    ['start to end', fixture('minimal.yaml'), []],
  ])('%s', (_name, text, expected) => {
    expect(warningsOf(text)).toEqual(expected);
  });
});

describe('files that are made to hurt', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]', ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefg'[index] ?? ''}`).join(', ')}]`)].join('\n');
  test.each([
    ['aliases of aliases', bomb],
    ['an alias of itself', 'name: &a [*a]'],
    ['brackets', '['.repeat(500_000)],
    ['closed brackets', `a: ${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['maps in maps', '{a: '.repeat(100_000)],
    ['lists in lists', '- '.repeat(200_000)],
    ['keys of keys', '? '.repeat(200_000)],
    ['quotes', '"'.repeat(500_000)],
    ['commas', `[${','.repeat(500_000)}]`],
    ['documents', '---\n'.repeat(100_000)],
    ['many keys', Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n')],
    ['many nodes and wrong targets', `name: a\nrepos: [b]\nnodes:\n  start: {onSuccess: [{target: x}]}\n${Array.from({ length: 1500 }, (_, index) => `  node${index}Abcdefghijklmnopqrstuvwxyz: {onSuccess: [{target: mode${index}Abcdefghijklmnopqrstuvwxyz}]}`).join('\n')}`],
    ['a long key', `${'k'.repeat(500_000)}: 1`],
    ['a long tag', '!'.repeat(500_000)],
  ])('%s: refused with few words', (_name, text) => {
    const found = problems(text);
    expect(found.length).toBeGreaterThan(0);
    expect(JSON.stringify(found).length).toBeLessThan(60_000);
  });
});

test('an error names the file, the place, what is wrong and what to do', () => {
  const result = parseWorkflow(withLines({ root: 'jql: x', build: 'timeout: 5' }), { file: 'sample.yaml' });
  const found = 'problems' in result ? result.problems : [];
  expect(found.map(problemText)).toEqual([
    'sample.yaml:3:1: Tickets are not chosen by a query of one\'s own. Remove it, and use "filters:" in taskConfig.',
    'sample.yaml:16:5: There is no timeout: a node waits for its report as long as that takes. Remove it; "relay-flow run cancel" ends a run.',
  ]);
  const error = workflowError(found);
  expect(error).toMatchObject({ code: 'workflow_invalid', kind: 'terminal', text: 'The workflow has 2 mistakes; the first is in sample.yaml:3:1: Tickets are not chosen by a query of one\'s own.', hint: 'Remove it, and use "filters:" in taskConfig.', evidence: { problems: found } });
});
