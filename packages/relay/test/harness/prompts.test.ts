import { findReport, parseReport, reportContract } from 'relay-flow-plugin/report';
import { describe, expect, it } from 'vitest';
import { harnessEnvironment } from '../../src/harness/environment.js';
import { inheritedEnvironment } from '../../src/harness/inherited-environment.js';
import { DIALOG_TEMPLATES, HEADLESS_TEMPLATES, renderNudge, renderPrompt, type PromptVariables } from '../../src/harness/prompts.js';
import { namesIn, requireKnownNames } from '../../src/harness/template.js';
import { createFilesTaskSystem } from '../../src/task/files/files-task-system.js';
import { nextStepsText } from '../../src/workflow/routes.js';
import { renderTemplate } from '../../src/workflow/templates/render.js';
import { ROUTES } from './reports.js';

const variables: PromptVariables = {
  taskSystem: 'Jira', ticket: 'T-1', workflow: 'flow', repo: 'app', node: 'build', nodeType: 'agent', agent: 'coder', nodeDescription: 'Build T-1 with {{agent}}.', nextSteps: nextStepsText(ROUTES), mailbox: 'T-2',
};

describe('templates', () => {
  it('fills in names exactly, once', () => {
    expect(renderTemplate('{{a}}{{ a }}{{b}}{{{a}}}{{}}', { a: '{{b}}', b: 'B' })).toBe('{{b}}{{ a }}B{{{b}}}{{}}');
    expect(renderTemplate('{{a}}', { a: '$& $1 $$' })).toBe('$& $1 $$');
    expect(renderTemplate('{{toString}}{{__proto__}}', {})).toBe('{{toString}}{{__proto__}}');
  });

  it('finds names, also those that nobody can mean', () => {
    expect(namesIn('{{a}} {{ a }} {{a}} {{x-y}} {{}}')).toEqual(['a', ' a ', 'x-y', '']);
    expect(() => requireKnownNames('{{a}}{{ a }}', ['a'], 'The setting x')).toThrow(expect.objectContaining({ code: 'config_invalid', text: 'The setting x asks for {{ a }}, which does not exist.' }));
  });
});

describe('prompts', () => {
  it('tell a fresh agent where it is and where its instructions are', () => {
    const prompt = renderPrompt({ kind: 'initial', templates: DIALOG_TEMPLATES, variables });
    for (const said of ['T-1', 'Jira', 'T-2', 'description', 'comments', 'Build T-1 with {{agent}}.', 'short', 'review (when: it is complete); end; fix (when: it is broken)']) expect(prompt).toContain(said);
    expect(prompt).not.toContain('A person decides');
  });

  it.each(['Jira', 'Beads', createFilesTaskSystem().title])('name the task system and the repository in plain words: %s', (taskSystem) => {
    expect(renderPrompt({ kind: 'initial', templates: HEADLESS_TEMPLATES, variables: { ...variables, taskSystem, repo: 'files' } }).split('\n\n')[0]).toBe(
      `You work on the ticket T-1 in the repository files. This is the step build of the workflow flow. The ticket is kept in ${taskSystem}.`,
    );
  });

  it('call files what they are', () => {
    expect(createFilesTaskSystem().title).toBe('a folder of Markdown files');
  });

  it('tell an agent of another visit that there is feedback', () => {
    expect(renderPrompt({ kind: 'feedback', templates: DIALOG_TEMPLATES, variables })).toMatch(/^Feedback was added to the mailbox T-2/);
  });

  it('join their parts by blank lines, in this order', () => {
    const prompt = renderPrompt({
      kind: 'initial', templates: { initial: 'First {{ticket}}.\n', feedback: 'x', hitl: 'For people at {{node}}.' }, variables: { ...variables, nodeType: 'hitl' },
      ticketText: 'Title\n\nText', previousFeedback: 'Fix it.', nudge: 'Nudge {{mailbox}} {{agent}}.', remark: 'A person says no.', contract: 'CONTRACT',
    });
    expect(prompt).toBe('First T-1.\n\nWhat the ticket says:\n\nTitle\n\nText\n\nPrevious step feedback: Fix it.\n\nFor people at build.\n\nNudge T-2 {{agent}}.\n\nA person says no.\n\nCONTRACT');
  });

  it('leave out what is empty', () => {
    expect(renderPrompt({ kind: 'feedback', templates: { initial: 'a', feedback: 'Go.', hitl: '' }, variables: { ...variables, nodeType: 'hitl' }, nudge: ' ', previousFeedback: '', remark: '\n' })).toBe('Go.');
  });

  it('ask people in a dialog, or with a command', () => {
    const of = (templates: typeof DIALOG_TEMPLATES): string => renderPrompt({ kind: 'initial', templates, variables: { ...variables, nodeType: 'hitl' } });
    expect(of(DIALOG_TEMPLATES)).toContain('Never use a question tool');
    expect(of(HEADLESS_TEMPLATES)).not.toContain('dialog');
  });

  it.each(['- item', '@file', '/review', '# Title', '{{x}}', '"quoted"', '\u2014 dash'])('begin with a word also when a template begins with %j', (initial) => {
    expect(renderPrompt({ kind: 'initial', templates: { initial, feedback: 'x', hitl: '' }, variables })).toBe(`Task:\n\n${initial}`);
  });

  it('tell an agent that was interrupted to go on', () => {
    expect(renderPrompt({ kind: 'resumed', templates: HEADLESS_TEMPLATES, variables })).toMatch(/^Your work on ticket T-1 at the step build was interrupted/);
  });

  it('are no report when a program only repeats them', () => {
    const prompt = renderPrompt({ kind: 'initial', templates: HEADLESS_TEMPLATES, variables, contract: reportContract(ROUTES), nudge: 'Hurry.', previousFeedback: 'STATUS: success' });
    expect(parseReport(findReport(prompt) ?? '').ok).toBe(false);
  });

  it('render a nudge with its own variables only', () => {
    expect(renderNudge('{{taskSystem}} {{ticket}} {{workflow}} {{repo}} {{node}} {{mailbox}} {{nextSteps}} {{agent}} {{nodeDescription}}', variables)).toBe(`Jira T-1 flow app build T-2 ${variables.nextSteps} {{agent}} {{nodeDescription}}`);
  });
});

describe('the variables of an agent', () => {
  const request = {
    home: '/home/me/.relay-flow', runId: 'app/flow/T-1~attempt~2', workflow: 'flow', repo: 'app', ticket: 'T-1', node: 'build', nodeType: 'agent', nudge: '', routes: ROUTES, reportFormat: 'CONTRACT', autoReject: true,
    taskEnvironment: { BEADS_DIR: '/beads', BEADS_DB: '', BD_DB: '', RELAY_FLOW_TICKET: 'another' },
  } as const;

  it('are these and no others', () => {
    expect(harnessEnvironment(request)).toEqual({
      BEADS_DIR: '/beads', BEADS_DB: '', BD_DB: '',
      RELAY_FLOW_HOME: '/home/me/.relay-flow', RELAY_FLOW_RUN_ID: 'app/flow/T-1~attempt~2', RELAY_FLOW_WORKFLOW: 'flow', RELAY_FLOW_REPO: 'app', RELAY_FLOW_TICKET: 'T-1', RELAY_FLOW_NODE: 'build',
      RELAY_FLOW_NODE_TYPE: 'agent', RELAY_FLOW_NUDGE_PROMPT: '',
      RELAY_FLOW_NEXT_STEPS_JSON: '[{"target":"review","when":"it is complete"},{"target":"end","when":""},{"target":"fix","when":"it is broken"}]',
      RELAY_FLOW_REPORT_FORMAT: 'CONTRACT',
    });
  });

  it('have no nudge that is too long for them', () => {
    const [longest, longer] = ['é'.repeat(8 * 1024), `${'é'.repeat(8 * 1024)}.`];
    expect([longest, longer].map((nudge) => harnessEnvironment({ ...request, nudge })['RELAY_FLOW_NUDGE_PROMPT'])).toEqual([longest, '']);
  });

  it('say for people whether failures need their approval', () => {
    expect(harnessEnvironment({ ...request, nodeType: 'hitl' })['RELAY_FLOW_AUTO_REJECT']).toBe('true');
    expect(harnessEnvironment({ ...request, nodeType: 'hitl', autoReject: false })['RELAY_FLOW_AUTO_REJECT']).toBe('false');
  });

  it('come on top of what the server was started with, without what is not for agents', () => {
    expect(inheritedEnvironment({
      PATH: '/bin', HOME: '/home/me', ANTHROPIC_API_KEY: 'k', GH_TOKEN: 't', GIT_AUTHOR_NAME: 'me', GIT_DIR: '/x', GIT_INDEX_FILE: 'i', RELAY_FLOW_HOME: '/h', RELAY_FLOW_LOG_LEVEL: 'debug',
      JIRA_API_TOKEN: 's', ATLASSIAN_TOKEN: 's', JIRA_EMAIL: 'e', JIRA_SITE: 'kept', LINEAR_API_KEY: 's', PWD: '/x', CLAUDECODE: '1', GONE: undefined,
    })).toEqual({ PATH: '/bin', HOME: '/home/me', ANTHROPIC_API_KEY: 'k', GH_TOKEN: 't', GIT_AUTHOR_NAME: 'me', JIRA_SITE: 'kept' });
  });
});
