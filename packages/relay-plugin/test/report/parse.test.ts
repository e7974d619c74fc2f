import { describe, expect, it } from 'vitest';
import { findReport, parseReport, reportProblems, type Report, type Routes } from '../../src/report/index.js';
import { AT_END, FOUR_FIELDS, reportText } from './texts.js';

const ROUTES: Routes = { success: [{ target: 'review', when: 'it is complete' }, { target: 'end' }], failure: [{ target: 'fix' }, { target: 'end' }] };

function accepted(text: string): Report {
  const parsed = parseReport(text);
  expect(parsed).toMatchObject({ ok: true });
  if (!parsed.ok) throw new Error(parsed.problems.join(' '));
  return parsed.report;
}

function refused(text: string): string {
  const parsed = parseReport(text);
  expect(parsed.ok).toBe(false);
  if (parsed.ok) throw new Error('It was accepted.');
  for (const problem of parsed.problems) expect(problem).toMatch(/^["A-Z][^]*\.$/);
  return parsed.problems.join('\n');
}

const PLAIN = accepted(reportText());

describe('the cases of the specification', () => {
  it('takes a whole report in a code fence', () => {
    for (const [open, close] of [['```', '```'], ['```text', '```'], ['~~~~', '~~~~'], ['````md', '`````']]) expect(accepted(`\n${open}\n${reportText()}\n${close}\n\n`)).toEqual(PLAIN);
  });
  it('refuses a greeting before the report', () => expect(refused(`Here is my report.\n\n${reportText()}`)).toContain('Leave out the text before its first label, which begins with "Here is my report."'));
  it('takes a closing sentence as part of the last value, which is refused at the end of a run', () => {
    const going = accepted(`${reportText()}\n\nLet me know!`);
    expect(going.feedback.expectedResult).toBe('A decision.\n\nLet me know!');
    expect(reportProblems(going, ROUTES)).toEqual([]);
    expect(reportProblems(accepted(`${reportText(AT_END)}\n\nLet me know!`), ROUTES)).toEqual(['Nobody comes after end: with NEXT STEP end, write exactly None for EXPECTED RESULT.']);
  });
  it('takes Success for success', () => expect(accepted(reportText({ STATUS: 'Success' }))).toEqual(PLAIN));
  it('reads a next step with a remark, which is no target', () => {
    const report = accepted(reportText({ 'NEXT STEP': 'review (because it is done)' }));
    expect(reportProblems(report, ROUTES)).toEqual(['NEXT STEP "review (because it is done)" cannot be chosen. With STATUS success it must be exactly one of: end, review.']);
  });
  it('refuses two reports', () => expect(refused(`${reportText()}\n\n${reportText()}`)).toContain('The label STATUS appears 2 times'));
  it('takes text below its label', () => {
    expect(accepted(FOUR_FIELDS.replace('SUMMARY: ', 'SUMMARY:\n\n')).summary.completed).toBe('Filtered orders by date.');
    expect(accepted(reportText({ COMPLETED: '\n\nFiltered orders by date.' }))).toEqual(PLAIN);
  });
  it('asks for exactly None at the end', () => {
    const report = accepted(FOUR_FIELDS.replace('review', 'end').replace('Read the date parser.', 'none'));
    expect(reportProblems(report, ROUTES)).toEqual(['Nobody comes after end: with NEXT STEP end, write exactly None for REQUIRED ACTIONS.']);
    expect(reportProblems(accepted(reportText(AT_END)), ROUTES)).toEqual([]);
  });
  it('takes another label in upper case as content of its section (pitfall 19)', () => {
    expect(accepted(FOUR_FIELDS.replace('\nFEEDBACK', '\nWARNING: slow\nFEEDBACK')).summary.completed).toBe('Filtered orders by date.\nWARNING: slow');
    expect(accepted(reportText({ NOTES: 'WARNING: slow\n\nFILES:\n- a.ts' })).summary.notes).toBe('WARNING: slow\n\nFILES:\n- a.ts');
  });
  it('refuses another label in upper case before the summary', () => {
    expect(refused(reportText({ 'NEXT STEP': 'review\nWARNING: slow' }))).toBe('"WARNING" is no label of a report: leave it out, or put it below a label of SUMMARY or FEEDBACK.');
    expect(refused(reportText({ STATUS: 'success\nREASON: done' }))).toContain('"REASON" is no label of a report');
    expect(refused(`WARNING: slow\n${reportText()}`)).toContain('Leave out the text before its first label');
  });
  it('normalizes line ends', () => {
    for (const end of ['\r\n', '\r']) expect(accepted(reportText({ NOTES: 'a\n\nb' }).replaceAll('\n', end))).toEqual(accepted(reportText({ NOTES: 'a\n\nb' })));
  });
});

describe('decoration', () => {
  it.each([
    ['bold label', (label: string, value: string) => `**${label}:** ${value}`],
    ['bold label before the colon', (label: string, value: string) => `**${label}**: ${value}`],
    ['bold line', (label: string, value: string) => (value.includes('\n') ? `${label}: ${value}` : `**${label}: ${value}**`)],
    ['underscores', (label: string, value: string) => `__${label}:__ ${value}`],
    ['mixed marks', (label: string, value: string) => `**_${label}_**: ${value}`],
    ['code', (label: string, value: string) => `\`${label}:\` ${value}`],
    ['heading', (label: string, value: string) => `## ${label}: ${value}`],
    ['list', (label: string, value: string) => `- ${label}: ${value}`],
    ['list in bold', (label: string, value: string) => `  * **${label}**: ${value}`],
    ['quotation', (label: string, value: string) => `> ${label} : ${value}`],
    ['sign', (label: string, value: string) => `✅ ${label} -: ${value}`],
    ['indentation', (label: string, value: string) => `\t  ${label}:${value}`],
  ])('%s', (_name, line) => expect(accepted(reportText({}, line))).toEqual(PLAIN));

  it('keeps decoration that belongs to a value', () => {
    const report = accepted(reportText({ COMPLETED: '**Filter** by `date`', COMMITS: '`1a2b3c4`', NOTES: '_none_' }));
    expect(report.summary).toMatchObject({ completed: '**Filter** by `date`', commits: '`1a2b3c4`', notes: '_none_' });
  });
  it.each(['**success**', '`success`', '"Success".', 'SUCCESS ✅', '\n\nsuccess'])('takes %j as a status', (status) => expect(accepted(reportText({ STATUS: status }))).toEqual(PLAIN));
  it.each(['`review`', '**review**', '**`review`**'])('takes %j as a node', (node) => expect(accepted(reportText({ 'NEXT STEP': node }))).toEqual(PLAIN));
  it.each(['_review_', '"review"', 'Review', 'review.'])('keeps %j, which may be the name of another node', (node) => expect(accepted(reportText({ 'NEXT STEP': node })).nextStep).toBe(node));
});

describe('values', () => {
  it('keeps blank lines inside, and lists with their indentation', () => {
    expect(accepted(reportText({ NOTES: '\n  - one\n    - inner\n\n  - two   \n\n' })).summary.notes).toBe('- one\n  - inner\n\n- two');
  });
  it('keeps code blocks inside a section', () => {
    const notes = 'Run:\n\n```sh\nmake\n```';
    expect(accepted(reportText({ NOTES: notes })).summary.notes).toBe(notes);
    expect(accepted(`\`\`\`\`\n${reportText({ 'EXPECTED RESULT': '```\nmake\n```' })}\n\`\`\`\``).feedback.expectedResult).toBe('```\nmake\n```');
    expect(accepted(`\`\`\`\n${reportText({ NOTES: notes })}\n\`\`\``).summary.notes).toBe(notes);
    expect(accepted(reportText({ 'EXPECTED RESULT': '```\nmake\n```' })).feedback.expectedResult).toBe('```\nmake\n```');
  });
  it.each([
    ['text after the fence', `\`\`\`\n${reportText()}\n\`\`\`\nDone.`],
    ['a fence that is not closed', `\`\`\`\n${reportText()}`],
    ['a fence of another kind', `\`\`\`\n${reportText()}\n~~~`],
    ['two fences', `\`\`\`\n${reportText()}\n\`\`\`\nand\n\`\`\`\nmake\n\`\`\``],
  ])('is not fooled by %s', (_name, text) => expect(refused(text)).toContain('which begins with "```"'));
  it('does not ask for an order', () => {
    const lines = reportText().split('\n');
    expect(accepted([...lines.slice(9), ...lines.slice(2, 9), lines[1], lines[0]].join('\n'))).toEqual(PLAIN);
  });
  it('maps the four-field form', () => {
    expect(accepted(FOUR_FIELDS)).toEqual({
      status: 'success',
      nextStep: 'review',
      summary: { completed: 'Filtered orders by date.', commits: 'None', notCompleted: 'None', issuesDiscovered: 'None', verification: 'None', notes: 'None' },
      feedback: { reasonForNextStep: 'None', requiredActions: 'Read the date parser.', relevantContext: 'None', expectedResult: 'None' },
    });
  });
});

describe('problems', () => {
  it('says so where there is no report', () => {
    for (const text of ['', '\n\n', 'All done.', 'Status: success', 'STATUS success', '1. STATUS: success', 'THE STATUS: success']) {
      expect(parseReport(text)).toEqual({ ok: false, labels: 0, problems: ['There is no report in this text: it must begin with the line STATUS:.'] });
    }
  });
  it('tells every problem at once', () => {
    expect(refused(`Hello\nSTATUS: done\nNEXT STEP:\nSUMMARY: All of it.\nCOMPLETED: All.\nNOTES: None\nNOTES: None`)).toMatchInlineSnapshot(`
      "The report must begin with STATUS:. Leave out the text before its first label, which begins with "Hello".
      The label NOTES appears 2 times: write one report with each label once.
      Missing: COMMITS:, NOT COMPLETED:, ISSUES DISCOVERED:, VERIFICATION:, FEEDBACK:, REASON FOR NEXT STEP:, REQUIRED ACTIONS:, RELEVANT CONTEXT:, EXPECTED RESULT:. Write every label, with None where there is nothing to say.
      NEXT STEP has no value: write the name of a node.
      SUMMARY is a heading without a value: move "All of it." below one of COMPLETED, COMMITS, NOT COMPLETED, ISSUES DISCOVERED, VERIFICATION, NOTES.
      The value of STATUS is "done": write success or failure and nothing else on that line."
    `);
  });
  it.each([
    [{ STATUS: 'success (mostly)' }, 'The value of STATUS is "success (mostly)"'],
    [{ STATUS: '' }, 'STATUS has no value: write success or failure.'],
    [{ STATUS: 'success\nAll went well.' }, 'STATUS takes one line: leave out "All went well." below it.'],
    [{ 'NEXT STEP': 'review\nsince it is done' }, 'NEXT STEP takes one line: leave out "since it is done" below it.'],
    [{ NOTES: '' }, 'NOTES has no value: write None where there is nothing to say.'],
    [{ FEEDBACK: '\nPlease look.' }, 'FEEDBACK is a heading without a value: move "Please look." below one of REASON FOR NEXT STEP'],
    [{ SUMMARY: '\nWARNING: slow' }, 'SUMMARY is a heading without a value'],
  ])('%j', (changes, problem) => expect(refused(reportText(changes))).toContain(problem));
  it('says of the four-field form what it lacks', () => {
    expect(refused('STATUS: success\nNEXT STEP: review\nSUMMARY: Done.')).toBe('Missing: FEEDBACK:. Write every label, with None where there is nothing to say.');
    expect(refused('STATUS: success\nNEXT STEP: review\nSUMMARY: Done.\nFEEDBACK:')).toBe('FEEDBACK has no value: write None where there is nothing to say.');
    expect(refused(`${FOUR_FIELDS}\nNOTES: None`)).toContain('SUMMARY is a heading without a value');
  });
  it('counts distinct labels at the start of lines', () => {
    expect(parseReport('I would say STATUS: success, and NOTES: none.').labels).toBe(0);
    expect(parseReport('Next:\nNOTES: see below\nNOTES: again').labels).toBe(1);
    expect(parseReport('So\n**STATUS:** success\n**NEXT STEP:** review').labels).toBe(2);
    expect(parseReport(reportText()).labels).toBe(14);
  });
});

describe('a report in the output of a program', () => {
  it.each([
    ['nothing before it', reportText()],
    ['text before it', `Working on it.\n\n${reportText()}\n`],
    ['an earlier report before it', `${reportText({ STATUS: 'failure' })}\n${reportText()}`],
    ['a fence around it', `Here it is:\n\n\`\`\`\n${reportText()}\n\`\`\`\n`],
    ['line ends of Windows', `Working.\r\n${reportText().replaceAll('\n', '\r\n')}\r\n`],
  ])('is found with %s', (_name, output) => expect(accepted(findReport(output) ?? '')).toEqual(PLAIN));
  it('is what stands below the last STATUS, whatever it is worth', () => {
    expect(findReport('Nothing here.')).toBeUndefined();
    expect(findReport('Status: success')).toBeUndefined();
    expect(findReport(`${reportText()}\nSTATUS: unsure`)).toBe('STATUS: unsure');
    expect(findReport('```\nmake\n```\nSTATUS: success\n\n```js')).toBe('STATUS: success\n\n```js');
  });
});
