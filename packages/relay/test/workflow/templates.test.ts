import { findReport, parseReport, reportContract } from 'relay-flow-plugin/report';
import { describe, expect, test } from 'vitest';
import { feedbackComment, mailboxDescription, renderNudge, summaryComment, type TaskTextValues } from '../../src/workflow/task-texts.js';
import { checkTemplate, renderTemplate, TEMPLATE_VARIABLES, type TemplateKind } from '../../src/workflow/templates.js';
import { cutText } from '../../src/workflow/templates/cut-text.js';

const routes = { success: [{ target: 'review', when: 'it is ready' }], failure: [{ target: 'build' }] };
const values: TaskTextValues = {
  runID: 'shop/flow/T-1', ticket: 'T-1', workflow: 'flow', repo: 'shop', node: 'build', nodeType: 'agent', agent: 'builder', nodeDescription: 'Build it.', nextSteps: 'review (when: it is ready); build',
  successRoutes: 'review — when: it is ready', failureRoutes: 'build', mailbox: 'T-1:build', report: reportContract(routes),
};
const FULL = '{{report}} {{ticket}} {{node}} {{nodeType}} {{agent}} {{nodeDescription}} {{successRoutes}} {{failureRoutes}}';

describe('checked when configured', () => {
  const kinds = Object.keys(TEMPLATE_VARIABLES) as TemplateKind[];

  test.each(kinds)('%s takes each of its names and no other', (kind) => {
    const all: readonly string[] = TEMPLATE_VARIABLES[kind];
    expect(checkTemplate(kind, all.map((name) => `{{${name}}}`).join(' '))).toEqual([]);
    const others = new Set(Object.values<readonly string[]>(TEMPLATE_VARIABLES).flat().filter((name) => !all.includes(name)));
    for (const name of [...others, 'x', '', ' ticket', 'ticket ', 'Ticket', 'toString']) {
      expect(checkTemplate(kind, `${FULL} {{summaryReport}} {{feedbackReport}} {{${name}}}`).map(({ text }) => text)).toContain(`The template uses {{${name}}}, which does not exist here.`);
    }
  });

  test.each<readonly [TemplateKind, string, string[]]>([
    ['summaryComment', 'Done.', ['The template does not hold {{summaryReport}}.']],
    ['feedbackComment', '{{summaryReport}}', ['The template does not hold {{feedbackReport}}.']],
    ['summaryComment', '', ['The template does not hold {{summaryReport}}.']],
    ['mailboxDescription', FULL.replace('{{agent}} ', ''), ['The template does not hold {{agent}}.']],
    ['mailboxDescription', '{{nodeDescription}}', ['The template does not hold {{report}}, {{ticket}}, {{node}}, {{nodeType}}, {{agent}}, {{successRoutes}}, {{failureRoutes}}.']],
    ['mailboxDescription', FULL, []],
    ['nudgePrompt', 'Nothing in braces, {ticket}, {{{ticket}}}', []],
    ['nodeDescription', '${{ secrets.KEY }}', ['The template uses {{ secrets.KEY }}, which does not exist here.']],
    ['initial', '{{summaryReport}}', ['The template uses {{summaryReport}}, which does not exist here.']],
  ])('%s: %s', (kind, template, expected) => {
    expect(checkTemplate(kind, template).map(({ text }) => text)).toEqual(expected);
  });

  test('the nearest name is suggested', () => {
    expect(checkTemplate('nudgePrompt', '{{ticket }}')[0]?.hint).toBe('Write {{ticket}}, without blanks inside.');
    expect(checkTemplate('nudgePrompt', '{{nextStep}}')[0]?.hint).toBe('Write {{nextSteps}}, without blanks inside.');
    expect(checkTemplate('nodeDescription', '{{zzzzzz}}')[0]?.hint).toBe('Use {{ticket}}.');
  });
});

describe('rendered', () => {
  test('once: what a value holds is text', () => {
    expect(renderTemplate('{{a}}{{b}} {{a}}', { a: '{{b}}', b: "$& $1 $' {{a}}" })).toBe("{{b}}$& $1 $' {{a}} {{b}}");
  });

  test('what has no value stays', () => {
    expect(renderTemplate('{{toString}} {{}} {{ a }} {a} {{{a}}}', { a: 'x' })).toBe('{{toString}} {{}} {{ a }} {a} {x}');
  });

  test('a nudge', () => {
    expect(renderNudge('{{taskSystem}} {{ticket}} {{mailbox}}', { taskSystem: 'Jira', ticket: 'T-1', workflow: 'w', repo: 'r', node: 'n', mailbox: 'T-2', nextSteps: '' })).toBe('Jira T-1 T-2');
  });
});

describe('the texts that come with relay-flow', () => {
  test('a mailbox holds description, routes and the contract', () => {
    const text = mailboxDescription(undefined, values);
    expect(text.startsWith('Build it.\n')).toBe(true);
    for (const part of ['review — when: it is ready', '\nbuild\n', values.report, 'T-1', 'builder', 'agent']) expect(text).toContain(part);
    // Whoever only repeats it has not reported.
    expect(parseReport(findReport(text) ?? '')).toMatchObject({ ok: false });
  });

  test('comments name their node', () => {
    const report = { sourceNode: 'build', targetNode: 'review', summaryReport: 'COMPLETED: all', feedbackReport: 'REQUIRED ACTIONS: none' };
    expect(summaryComment(undefined, { ...values, ...report })).toBe('Summary of build:\n\nCOMPLETED: all');
    expect(feedbackComment(undefined, { ...values, ...report, node: 'review' })).toBe('Feedback from build:\n\nREQUIRED ACTIONS: none');
  });

  test('a template of one\'s own wins; names without meaning yet have a text', () => {
    expect(mailboxDescription('{{sourceNode}} {{targetNode}} {{summaryReport}} {{feedbackReport}} {{mailbox}}', values)).toBe('build build None None T-1:build');
    expect(summaryComment('{{summaryReport}}!', { ...values, summaryReport: 'ok' })).toBe('ok!');
    expect(feedbackComment('{{feedbackReport}}!', { ...values, feedbackReport: 'ok' })).toBe('ok!');
  });
});

describe('cut at a limit', () => {
  const long = { ...values, nodeDescription: 'A line of words.\n'.repeat(5000) };

  test('the description gives way; routes and contract stay whole', () => {
    const text = mailboxDescription(undefined, long, { limit: 32_767 });
    expect(text.length).toBeLessThanOrEqual(32_767);
    expect(text.length).toBeGreaterThan(32_000);
    expect(text).toContain(values.report);
    expect(text).toContain('A line of words.\n\n[The rest was too long and is left out.]\n');
  });

  test('also where it stands several times', () => {
    const text = mailboxDescription('{{nodeDescription}}|{{report}}|{{nodeDescription}}', long, { limit: 20_000 });
    expect(text.length).toBeLessThanOrEqual(20_000);
    expect(text).toContain(`|${values.report}|`);
  });

  test('also in comments', () => {
    expect(summaryComment(undefined, { ...values, summaryReport: 'x'.repeat(900) }, { limit: 500 })).toMatch(/^Summary of build:\n\nx+\n\n\[The rest was too long and is left out\.\]$/);
    expect(feedbackComment(undefined, { ...values, sourceNode: 'a', feedbackReport: 'x'.repeat(900) }, { limit: 500 }).length).toBeLessThanOrEqual(500);
  });

  test('what is short enough stays as it is', () => {
    const text = mailboxDescription(undefined, values);
    expect(mailboxDescription(undefined, values, { limit: text.length })).toBe(text);
    expect(mailboxDescription(undefined, values, { limit: text.length - 1 }).length).toBeLessThan(text.length);
  });

  test.each(Array.from({ length: 120 }, (_, limit) => limit))('at %i: never longer, never half a character', (limit) => {
    const text = cutText(`\`\`\`\n${'\u{1F600}'.repeat(100)}`, limit);
    expect(text.length).toBeLessThanOrEqual(limit);
    expect(text.isWellFormed()).toBe(true);
    expect(mailboxDescription(undefined, values, { limit }).length).toBeLessThanOrEqual(limit);
  });

  test('a code block that is cut is closed', () => {
    expect(cutText(`text\n\`\`\`ts\n${'code\n'.repeat(50)}\`\`\`\n`, 120)).toMatch(/code\n```\n\n\[The rest was too long and is left out\.\]$/);
    expect(cutText(`\`\`\`ts\ncode\n\`\`\`\n${'words '.repeat(50)}`, 120)).toMatch(/words\n\n\[The rest/);
  });
});
