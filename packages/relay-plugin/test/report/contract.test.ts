import { describe, expect, it } from 'vitest';
import { correction, exampleReport, feedbackText, findReport, formatReport, NONE, parseReport, reportContract, reportProblems, summaryText, targetsOf, type Routes } from '../../src/report/index.js';
import { LABELS } from '../../src/report/labels.js';

const ROUTES: Routes = {
  success: [{ target: 'review', when: 'the change is complete' }, { target: 'end', when: 'there was nothing to do' }],
  failure: [{ target: 'fix' }, { target: 'ask', when: 'a person must decide' }, { target: 'end' }],
};
const SHAPES: readonly Routes[] = [
  ROUTES,
  { success: [{ target: 'end' }], failure: [{ target: 'fix' }] },
  { success: [], failure: [{ target: 'fix' }] },
  { success: [{ target: 'review' }], failure: [] },
  { success: [{ target: 'a: b' }, { target: 'a: b', when: 'again' }], failure: [{ target: 'end' }] },
];

describe('the contract', () => {
  it('reads so', () => expect(reportContract(ROUTES)).toMatchInlineSnapshot(`
    "When your work at this node is finished, answer with a report and nothing else: plain text, no greeting, no code fence.
    It has these fourteen labels, in upper case, each exactly once at the start of a line. SUMMARY and FEEDBACK are headings without a value of their own;
    every other label needs a value on its line or below it. Where there is nothing to say, the value is None.

    An example:

    STATUS: success
    NEXT STEP: review

    SUMMARY:
    COMPLETED: The list of orders can be filtered by date.
    COMMITS: 1a2b3c4 Filter orders by date
    NOT COMPLETED: None
    ISSUES DISCOVERED: Two clients send dates without a time zone.
    VERIFICATION: The tests of the orders module pass.
    NOTES: None

    FEEDBACK:
    REASON FOR NEXT STEP: The change is complete and its tests pass.
    REQUIRED ACTIONS: Read the change to the date parser with care.
    RELEVANT CONTEXT: The date parser is shared with the invoices.
    EXPECTED RESULT: A decision about dates without a time zone.

    With NEXT STEP end all four values of FEEDBACK must be exactly None, since nobody comes after it.
    NEXT STEP is exactly one of the names below, chosen by what is said about it:

    STATUS: success with one of these as NEXT STEP:
    - end — when: there was nothing to do
    - review — when: the change is complete
    STATUS: failure with one of these as NEXT STEP:
    - ask — when: a person must decide
    - fix"
  `));
  it('names every label, and gives an example that may be given', () => {
    for (const routes of SHAPES) {
      const example = exampleReport(routes);
      expect(reportContract(routes)).toContain(formatReport(example).trimEnd());
      expect(parseReport(formatReport(example))).toMatchObject({ ok: true, report: example });
      expect(reportProblems(example, routes)).toEqual([]);
      for (const label of LABELS) expect(reportContract(routes)).toContain(`${label}:`);
    }
  });
  it('is no report when it is only repeated', () => {
    for (const routes of SHAPES) {
      for (const text of [reportContract(routes), correction(['Missing: NOTES:.'], reportContract(routes))]) {
        expect(parseReport(text).ok).toBe(false);
        expect(parseReport(findReport(text) ?? '').ok).toBe(false);
      }
    }
  });
  it('offers no failure the end', () => expect(targetsOf('failure', ROUTES)).toEqual(['ask', 'fix']));
  it('is repeated by a correction, below what is wrong', () => {
    expect(correction(['Missing: NOTES:.', 'STATUS has no value.'], 'THE CONTRACT')).toBe(
      'Your last answer could not be taken as the report of this node:\n- Missing: NOTES:.\n- STATUS has no value.\n\nAnswer with the corrected report only.\n\nTHE CONTRACT',
    );
  });
});

describe('the rules of a node', () => {
  const good = exampleReport(ROUTES);
  it.each([
    ['a target of the other status', { ...good, nextStep: 'fix' }, ['NEXT STEP "fix" cannot be chosen. With STATUS success it must be exactly one of: end, review.']],
    ['upper case', { ...good, nextStep: 'Review' }, ['NEXT STEP "Review" cannot be chosen. With STATUS success it must be exactly one of: end, review.']],
    ['a failure at the end, which would close the ticket (pitfall 46)', { ...exampleReport({ success: [{ target: 'end' }], failure: [] }), status: 'failure' as const }, ['A failure may not choose end as NEXT STEP. With STATUS failure it must be exactly one of: ask, fix.']],
    ['feedback at the end', { ...good, nextStep: 'end' }, ['Nobody comes after end: with NEXT STEP end, write exactly None for REASON FOR NEXT STEP, REQUIRED ACTIONS, RELEVANT CONTEXT, EXPECTED RESULT.']],
    ['blank texts', { ...good, summary: { ...good.summary, notes: ' \n' }, feedback: { ...good.feedback, expectedResult: '' } }, ['NOTES has no value: write None where there is nothing to say.', 'EXPECTED RESULT has no value: write None where there is nothing to say.']],
    ['no next step', { ...good, nextStep: ' ' }, ['NEXT STEP has no value: write the name of a node.', 'NEXT STEP " " cannot be chosen. With STATUS success it must be exactly one of: end, review.']],
  ])('%s', (_name, report, problems) => expect(reportProblems(report, ROUTES)).toEqual(problems));
  it('lets a success end where the workflow lists it, and only there', () => {
    const end = exampleReport({ success: [{ target: 'end' }], failure: [] });
    expect(reportProblems(end, ROUTES)).toEqual([]);
    expect(reportProblems(end, { success: [{ target: 'review' }], failure: [] })).toEqual(['NEXT STEP "end" cannot be chosen. With STATUS success it must be exactly one of: review.']);
  });
});

describe('comments', () => {
  it('hold what was said', () => {
    expect(summaryText(exampleReport(ROUTES))).toMatchInlineSnapshot(`
      "COMPLETED: The list of orders can be filtered by date.

      COMMITS: 1a2b3c4 Filter orders by date

      ISSUES DISCOVERED: Two clients send dates without a time zone.

      VERIFICATION: The tests of the orders module pass."
    `);
    expect(feedbackText(exampleReport(ROUTES))).toContain('REASON FOR NEXT STEP: The change is complete and its tests pass.\n\nREQUIRED ACTIONS: Read the change');
    expect(feedbackText(exampleReport({ success: [{ target: 'end' }], failure: [] }))).toBe(NONE);
  });
});
