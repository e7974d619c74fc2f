import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isRelayError } from '../../src/errors/relay-error.js';
import { parseConfig, readConfig } from '../../src/host/config.js';
import { addRepo, newConfig, removeRepo, setDefaultAssignee } from '../../src/host/config-edit.js';
import { madeHome } from '../scratch.js';

/** The sentences of a refusal. */
function refusal(text: string): string {
  try {
    parseConfig(text);
  } catch (error) {
    if (isRelayError(error) && error.code === 'config_invalid') return error.text;
    throw error;
  }
  throw new Error('not refused');
}

describe('what is read', () => {
  test.each(['', '# nothing\n', '{}'])('%j has the defaults', (text) => {
    expect(parseConfig(text)).toEqual({
      pollIntervalSeconds: 15, completedRunRetentionDays: 30, keepTerminalsAlive: true, keepSessionsAlive: true,
      taskPlugin: 'files', taskConfig: {}, runnerPlugin: 'worktree', runnerConfig: {}, harnessPlugin: 'command', harnessConfig: {}, repos: {},
    });
  });

  test('settings of plugins are kept as they are', () => {
    expect(parseConfig('harnessConfig: {command: [agent, --fast], "7": 1.5}\nrepos:\n  app: {path: /r/app, taskConfig: {ticketsDir: tickets}}\n')).toMatchObject({
      harnessConfig: { command: ['agent', '--fast'], 7: 1.5 }, repos: { app: { path: '/r/app', taskConfig: { ticketsDir: 'tickets' } } },
    });
  });
});

test.each([
  ['keepTerminalsAlive: false', [false, true]],
  ['keepTerminalsAlive: false\nkeepSessionsAlive: false', [false, false]],
  ['keepSessionsAlive: true', [true, true]],
])('%j is a way to keep what runs', (text, kept) => {
  const { keepTerminalsAlive, keepSessionsAlive } = parseConfig(text);
  expect([keepTerminalsAlive, keepSessionsAlive]).toEqual(kept);
});

describe('what is refused', () => {
  test('a file that is too deep or too large to be composed, which could end the process', () => {
    expect(refusal(`taskConfig: ${'['.repeat(100_000)}`)).toContain('nested more than 100 levels deep');
    expect(refusal(`# ${'x'.repeat(1024 * 1024)}`)).toContain('larger than 1048576 bytes');
  });

  test('a file that holds nothing but a mistake', () => {
    expect(refusal('%YAML 1.2\n')).toMatch(/^config.yaml:\d/);
  });

  test.each([
    ['pollIntervalSecond: 5', 'config.yaml:1:1 `pollIntervalSecond` is not a setting. Did you mean `pollIntervalSeconds`?'],
    ['nothing_like_it: 5', 'config.yaml:1:1 `nothing_like_it` is not a setting. Known here: pollIntervalSeconds, completedRunRetentionDays, keepTerminalsAlive, keepSessionsAlive, taskPlugin, taskConfig, runnerPlugin, runnerConfig, harnessPlugin, harnessConfig, repos.'],
    ['pollIntervalSeconds: 0', 'config.yaml:1:22 `pollIntervalSeconds` must be greater than 0.'],
    ['pollIntervalSeconds: 1.5', 'config.yaml:1:22 `pollIntervalSeconds` must be a whole number.'],
    ['pollIntervalSeconds: "5"', 'config.yaml:1:22 `pollIntervalSeconds` must be a number.'],
    ['completedRunRetentionDays: 0', 'config.yaml:1:28 `completedRunRetentionDays` must be greater than 0.'],
    ['completedRunRetentionDays: 0.5', 'config.yaml:1:28 `completedRunRetentionDays` must be a whole number.'],
    ['keepSessionsAlive: "no"', 'config.yaml:1:20 `keepSessionsAlive` must be true or false.'],
    ['runnerPlugin: tmux', 'config.yaml:1:15 `runnerPlugin` must be one of worktree, orca.'],
    ['harnessPlugin: ""', 'config.yaml:1:16 `harnessPlugin` must be one of command, claude, opencode, pi.'],
    ['taskPlugin: null', 'config.yaml:1:1 `taskPlugin` is null. Leave a setting away instead of writing null.'],
    ['temporalNamespace: relay', 'config.yaml:1:1 `temporalNamespace` is not a setting here. There is no Temporal: runs are kept in the journal of this home.'],
    ['repos:\n  app: null', 'config.yaml:2:3 `repos.app` is null. Leave a setting away instead of writing null.'],
    ['pollIntervalSeconds:', 'config.yaml:1:1 `pollIntervalSeconds` is null. Leave a setting away instead of writing null.'],
    ['taskConfig:\n  filters:\n    labels: [a, ~]', 'config.yaml:3:17 `taskConfig.filters.labels[1]` is null. Leave a setting away instead of writing null.'],
    ['taskPlugin: jria', 'config.yaml:1:13 `taskPlugin` must be one of files, jira, beads. Did you mean `jira`?'],
    ['executorPlugin: goworkflows', 'config.yaml:1:1 `executorPlugin` is not a setting here. There is nothing to choose: runs are kept in the journal of this home.'],
    ['temporalAddress: localhost:7233', 'config.yaml:1:1 `temporalAddress` is not a setting here. There is no Temporal: runs are kept in the journal of this home.'],
    ['keepSessionsAlive: false', 'config.yaml:1:20 A terminal that stays holds its session: with `keepSessionsAlive: false`, set `keepTerminalsAlive: false` as well.'],
    ['repos:\n  app: {path: app}', 'config.yaml:2:15 `repos.app.path` must be an absolute path.'],
    ['repos:\n  app: {}', 'config.yaml:2:3 `repos.app.path` is missing.'],
    ['repos:\n  app: {path: /a, task: x}', 'config.yaml:2:19 `repos.app.task` is not a setting. Did you mean `taskConfig`?'],
    ['repos:\n  a: {path: /a}\n  b: {path: /a/}', 'config.yaml:3:13 The repositories a and b have the same path.'],
    ['repos:\n  a: {path: /a}\n  A: {path: /b}', 'config.yaml:3:3 The repositories a and A differ only in upper and lower case.'],
    ['repos:\n  discover: {path: /a}', 'config.yaml:2:3 A repository cannot be called discover.'],
    ['[]', 'config.yaml:1:1 The file must be a map.'],
    ['a: 1\na: 2', 'config.yaml:2:1 Map keys must be unique.'],
  ])('%s', (text, sentence) => {
    expect(refusal(text)).toBe(sentence);
  });

  test('everything that is wrong is said at once', () => {
    expect(refusal('pollIntervalSeconds: -1\nexecutorPlugin: x\nkeepTerminalsAlive: 1\nreposs: {}\n')).toBe(
      ['config.yaml has 4 mistakes:', '  2:1 `executorPlugin` is not a setting here. There is nothing to choose: runs are kept in the journal of this home.', '  1:22 `pollIntervalSeconds` must be greater than 0.', '  3:21 `keepTerminalsAlive` must be true or false.', '  4:1 `reposs` is not a setting. Did you mean `repos`?'].join('\n'),
    );
  });

  test('broken YAML has a place', () => {
    expect(refusal('repos: {a: 1\n')).toMatch(/^config\.yaml:2:1 /);
  });

  test('no file at all', () => {
    expect(() => readConfig(madeHome())).toThrow(expect.objectContaining({ code: 'config_invalid', hint: 'Make one with `relay-flow init`.' }) as Error);
  });
});

describe('what is edited', () => {
  const HAND_WRITTEN = `# our settings
pollIntervalSeconds: 5 # fast

# where tickets are
taskPlugin: "files"
repos:
    # the shop
    shop:
        path: '/r/shop' # on the big disk
        taskConfig: { ticketsDir: tickets }

    # the site
    site:
        path: /r/site
`;

  test('comments, quotes, blank lines and indentation stay', () => {
    const home = madeHome();
    writeFileSync(home.config, HAND_WRITTEN);
    addRepo(home, 'api', { path: '/r/api', taskConfig: { ticketsDir: 'work/tickets', filters: { labels: ['ready'] } } });
    expect(readFileSync(home.config, 'utf8')).toBe(`${HAND_WRITTEN}    api:
        path: /r/api
        taskConfig:
            ticketsDir: work/tickets
            filters:
                labels:
                    - ready
`);
    removeRepo(home, 'api');
    expect(readFileSync(home.config, 'utf8')).toBe(HAND_WRITTEN);
    expect(Object.keys(removeRepo(home, 'shop').repos)).toEqual(['site']);
    expect(readFileSync(home.config, 'utf8')).toContain('    # the site\n    site:\n        path: /r/site\n');
  });

  test('the first repository of a new file, and the last that goes', () => {
    const home = madeHome();
    const fresh = newConfig({ taskPlugin: 'jira', runnerPlugin: 'worktree', harnessPlugin: 'claude' });
    writeFileSync(home.config, fresh);
    expect(addRepo(home, 'app', { path: '/r/app', taskConfig: {} })).toMatchObject({ taskPlugin: 'jira', harnessPlugin: 'claude', repos: { app: { path: '/r/app' } } });
    expect(readFileSync(home.config, 'utf8')).toContain('\nrepos:\n  app:\n    path: /r/app\n');
    removeRepo(home, 'app');
    expect(readFileSync(home.config, 'utf8')).toBe(fresh);
  });

  test('a file without repositories gets them', () => {
    const home = madeHome();
    writeFileSync(home.config, 'pollIntervalSeconds: 5\n');
    addRepo(home, 'app', { path: '/r/app', taskConfig: {} });
    expect(readFileSync(home.config, 'utf8')).toBe('pollIntervalSeconds: 5\nrepos:\n  app:\n    path: /r/app\n');
  });

  test.each([
    ['a b', '/r/new', 'The name of a repository has letters'],
    ['SHOP', '/r/new', 'A repository shop is registered already.'],
    ['new', '/r/shop', '/r/shop is registered already, as shop.'],
  ])('%s at %s cannot be added', (name, path, why) => {
    const home = madeHome();
    writeFileSync(home.config, HAND_WRITTEN);
    expect(() => addRepo(home, name, { path, taskConfig: {} })).toThrow(expect.objectContaining({ code: 'repo_invalid', message: expect.stringContaining(why) as string }) as Error);
    expect(readFileSync(home.config, 'utf8')).toBe(HAND_WRITTEN);
  });

  test('what is not there cannot be removed', () => {
    const home = madeHome();
    writeFileSync(home.config, HAND_WRITTEN);
    expect(() => removeRepo(home, 'toString')).toThrow(expect.objectContaining({ code: 'repo_unknown' }) as Error);
  });

  test('a default assignee is set once', () => {
    const home = madeHome();
    writeFileSync(home.config, newConfig({ taskPlugin: 'jira', runnerPlugin: 'worktree', harnessPlugin: 'command' }));
    expect(setDefaultAssignee(home, 'ann@example.org')).toBe(true);
    expect(setDefaultAssignee(home, 'bob@example.org')).toBe(false);
    expect(readConfig(home).taskConfig).toEqual({ assignee: 'ann@example.org' });
    expect(readFileSync(home.config, 'utf8')).toContain('taskConfig:\n  assignee: ann@example.org\n');
  });
});
