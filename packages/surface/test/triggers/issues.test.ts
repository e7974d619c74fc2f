import { describe, expect, it } from 'vitest';
import { matchesIssue, type Issue, type SourceFilters } from '../../src/index.js';

const issue = (over: Partial<Issue> = {}): Issue => ({ source: 'github', title: 'Add a flag', body: 'To the list command.', labels: ['Bug ', 'cli'], ...over });

describe('matchesIssue', () => {
  it.each<[string, Issue, SourceFilters]>([
    ['an empty filter takes all of a tracker', issue(), { github: {} }],
    ['a repository, in another case', issue({ repository: 'Acme/Tool' }), { github: { repository: ' acme/tool ' } }],
    ['labels, in another case and order', issue(), { github: { labels: ['CLI', 'bug'] } }],
    ['no label asked for', issue(), { github: { labels: [] } }],
    ['a GitLab project', issue({ source: 'gitlab', project: 'Acme/Tool' }), { gitlab: { project: 'acme/tool', labels: ['bug'] } }],
    ['a Linear team and project', issue({ source: 'linear', team: 'Core', project: 'Q3' }), { linear: { team: 'core', project: 'q3' } }],
    ['a Shortcut workspace', issue({ source: 'shortcut', workspace: 'acme', team: 'a' }), { shortcut: { workspace: 'ACME', team: 'A' } }],
    ['a Jira project', issue({ source: 'jira', project: 'PAY' }), { jira: { project: 'pay' } }],
    ['a channel without its sign', issue({ source: 'slack', channel: '#Help' }), { slack: { channel: 'help' } }],
    ['a channel with its sign', issue({ source: 'slack', channel: 'help' }), { slack: { channel: '#help' } }],
    ['a text in the body', issue({ source: 'slack', body: 'Please FIX it' }), { slack: { contains: 'fix' } }],
    ['a mention', issue({ source: 'slack', mentioned: true }), { slack: { mentioned: true } }],
    ['no mention, where none is wanted', issue({ source: 'slack' }), { slack: { mentioned: false } }],
    ['a path', issue({ source: 'markdown', path: 'docs/tasks.md' }), { markdown: { path: 'docs/tasks.md' } }],
    ['one of several trackers', issue(), { linear: { team: 'core' }, github: {} }],
  ])('takes %s', (_, candidate, filters) => {
    expect(matchesIssue(candidate, filters)).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ['a tracker that is not listed', issue(), { linear: {} }],
    ['no tracker at all', issue(), {}],
    ['another repository', issue({ repository: 'acme/tool' }), { github: { repository: 'acme/other' } }],
    ['no repository where one is wanted', issue(), { github: { repository: 'acme/tool' } }],
    ['a missing label', issue(), { github: { labels: ['bug', 'urgent'] } }],
    ['a path in another case', issue({ source: 'markdown', path: 'Tasks.md' }), { markdown: { path: 'tasks.md' } }],
    ['a message without a mention', issue({ source: 'slack' }), { slack: { mentioned: true } }],
    ['an unknown filter key', issue(), { github: { milestone: '1' } }],
    ['an inherited name as a filter key', issue(), { github: { toString: 'x' } }],
    ['an unknown tracker among the filters', issue(), { github: {}, bugzilla: {} }],
    ['a blank filter', issue({ repository: '' }), { github: { repository: ' ' } }],
    ['a blank label', issue({ labels: [''] }), { github: { labels: [''] } }],
    ['labels that are not a list', issue(), { github: { labels: 'bug' } }],
    ['a filter that is not an object', issue(), { github: true }],
    ['no filters', issue(), undefined],
    ['no issue', undefined, { github: {} }],
    ['an issue of an unknown tracker', { ...issue(), source: 'bugzilla' }, { bugzilla: {} }],
    ['an issue whose tracker is an inherited name', { ...issue(), source: 'constructor' }, { constructor: {} }],
    ['an issue without a body', { ...issue(), body: undefined }, { github: {} }],
    ['an issue with a label that is no text', { ...issue(), labels: [1] }, { github: {} }],
    ['an issue with a repository that is no text', { ...issue(), repository: 7 }, { github: {} }],
    ['an issue with a mention that is no boolean', { ...issue({ source: 'slack' }), mentioned: 'yes' }, { slack: {} }],
  ])('refuses %s', (_, candidate, filters) => {
    expect(matchesIssue(candidate, filters as SourceFilters)).toBe(false);
  });
});
