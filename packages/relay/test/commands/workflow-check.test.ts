import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Home } from '../../src/host/home.js';
import type { WorkflowProblem } from '../../src/workflow/problem.js';
import { madeHome, scratch } from '../scratch.js';
import { document } from './in-process.js';

const WORKFLOW = `name: change
repos: [app]
taskConfig:
  filters:
    labels: go
nodes:
  start: { onSuccess: [{ target: build }] }
  build:
    type: agent
    agent: coder
    description: Build {{ticket}}.
    taskConfig:
      asignee: ann
      transitionTo:
        parentStatus: Doing
        taskStatus: [Doing]
      templates:
        summaryComment: Done.
    onSuccess: [{ target: end }]
    onFailure: [{ target: build }]
  end:
    taskConfig: { ticketsDir: tickets, filters: { issueTypes: [Bug, ""] } }
`;
const CLEAN = WORKFLOW.replace('labels: go', 'labels: [go]').replace(/    taskConfig:\n {6}asignee[\s\S]*Done\.\n/, '').replace(/  end:[\s\S]*$/, '  end: {}\n');

async function check(yaml: string, home?: Home, env: Readonly<Record<string, string>> = {}): Promise<{ readonly status: number; readonly problems: readonly string[]; readonly warnings: readonly string[]; readonly data: Readonly<Record<string, unknown>> }> {
  const folder = scratch();
  writeFileSync(join(folder, 'change.yaml'), yaml);
  const { status, data } = await document(['workflow', 'check', '--file', 'change.yaml'], { cwd: folder, ...(home === undefined ? { env: { HOME: folder } } : { home, env }) });
  const of = data as { readonly problems: readonly WorkflowProblem[]; readonly warnings: readonly WorkflowProblem[] };
  const told = (found: readonly WorkflowProblem[]): readonly string[] => found.map(({ file, line, column, text }) => `${file === home?.config ? 'config.yaml' : file}:${line}:${column} ${text}`);
  return { status, problems: told(of.problems), warnings: told(of.warnings), data: data as Readonly<Record<string, unknown>> };
}

function homeWith(config: Readonly<Record<string, unknown>>): Home {
  const home = madeHome();
  writeFileSync(home.config, stringify(config), { mode: 0o600 });
  return home;
}

describe('settings in a workflow', () => {
  const OWN = [
    'change.yaml:5:5 filters.labels in the taskConfig of the workflow must be a list of texts.',
    'change.yaml:13:7 asignee in the taskConfig of the node build is no setting.',
    'change.yaml:16:9 transitionTo.taskStatus in the taskConfig of the node build must be a text.',
    'change.yaml:18:9 templates.summaryComment in the taskConfig of the node build cannot be used: The template does not hold {{summaryReport}}.',
    'change.yaml:22:19 ticketsDir cannot be set in the taskConfig of the node end.',
    'change.yaml:22:69 filters.issueTypes[1] in the taskConfig of the node end is empty.',
  ];

  test('are looked at without a home, all of them with their places', async () => {
    const { status, problems, data } = await check(WORKFLOW);
    expect(status).toBe(1);
    expect(problems).toEqual(OWN);
    expect((data['problems'] as readonly WorkflowProblem[]).every(({ rule }) => rule === 15)).toBe(true);
    expect(data['home']).toBeNull();
    expect(await check(CLEAN)).toMatchObject({ status: 0, problems: [], warnings: [] });
  });

  test('a key of another task system is no setting, and its states are known', async () => {
    expect((await check(WORKFLOW, homeWith({ taskPlugin: 'jira' }))).problems[4]).toBe('change.yaml:22:19 ticketsDir in the taskConfig of the node end is no setting.');
    const beads = await check(CLEAN.replace('  end: {}', '  end: { taskConfig: { transitionTo: { parentStatus: Done }, templates: { summaryComment: "{{summaryReport}}" } } }'), homeWith({ taskPlugin: 'beads' }));
    expect(beads.problems).toEqual(['change.yaml:14:62 templates cannot be set in the taskConfig of the node end.', 'change.yaml:14:40 `transitionTo.parentStatus` is "Done", which is no status of Beads.']);
  });

  test('a null is spoken of once', async () => {
    expect((await check(CLEAN.replace('labels: [go]', 'labels: null'))).problems).toEqual(['change.yaml:5:13 taskConfig.filters.labels is empty (null).']);
  });
});

describe('what the home says', () => {
  test('mistakes of config.yaml that count for the workflow have their place there', async () => {
    const home = homeWith({ taskConfig: { assignee: 5 }, harnessConfig: { command: 'agent' }, runnerConfig: { base: 'main' }, repos: { app: { path: '/r/app', taskConfig: { ticketsDir: 'tickets', filter: {} } }, other: { path: '/r/other', taskConfig: { odd: 1 } } } });
    const { status, problems, warnings, data } = await check(CLEAN, home);
    expect(status).toBe(1);
    expect(problems).toEqual([
      'config.yaml:12:7 filter in the taskConfig of the repository (config.yaml) is no setting.',
      'config.yaml:2:13 assignee in the taskConfig of the machine (config.yaml) must be a text.',
    ]);
    expect(warnings.map((warning) => warning.replace(/(has a mistake).*/, '$1'))).toEqual([
      'config.yaml:3:1 The harnessConfig of the harness command has a mistake',
      'config.yaml:5:1 The runnerConfig of the runner worktree has a mistake',
    ]);
    expect(data).toMatchObject({ valid: false, home: { path: home.root, taskPlugin: 'files', runnerPlugin: 'worktree', harnessPlugin: 'command' } });
  });

  test('an agent that the harness does not have is a mistake, a repository that is not registered a warning', async () => {
    const [repo, bin] = [scratch(), scratch()];
    mkdirSync(join(repo, '.claude', 'agents'), { recursive: true });
    writeFileSync(join(repo, '.claude', 'agents', 'coder.md'), 'Code.');
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
    const home = homeWith({ harnessPlugin: 'claude', repos: { app: { path: repo, taskConfig: { ticketsDir: 'tickets' } } } });
    expect(await check(CLEAN.replace('agent: coder', 'agent: reader'), home, { PATH: bin })).toMatchObject({ status: 1, problems: [`change.yaml:10:12 Claude Code has no agent reader for the repository at ${repo}.`] });
    expect(await check(CLEAN.replace('[app]', '[app, lib]'), home, { PATH: bin })).toMatchObject({ status: 0, problems: [], warnings: ['change.yaml:2:14 No repository lib is registered in this home.'] });
  });

  test('a program that is not there is a warning', async () => {
    const { status, warnings } = await check(CLEAN, homeWith({ harnessPlugin: 'claude', repos: { app: { path: '/r/app', taskConfig: {} } } }), { PATH: '/nowhere' });
    expect([status, warnings]).toEqual([0, ['change.yaml:10:12 The program claude is not on the PATH of the server.']]);
  });

  test('a home that cannot be read keeps nobody from checking', async () => {
    const home = madeHome();
    writeFileSync(home.config, 'odd: 1\n', { mode: 0o600 });
    expect(await check(CLEAN, home)).toMatchObject({ status: 0, data: { home: null } });
  });

  test('a terminal harness needs a runner with terminals', async () => {
    expect((await check(CLEAN, homeWith({ harnessPlugin: 'pi' }))).warnings).toEqual(['change.yaml:2:9 No repository app is registered in this home.', 'config.yaml:1:16 The harness pi works in a terminal, and the runner worktree has none.']);
  });
});
