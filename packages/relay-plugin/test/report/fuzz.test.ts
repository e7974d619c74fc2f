import { describe, expect, it } from 'vitest';
import { findReport, formatReport, NONE, parseReport, reportProblems, type Report } from '../../src/report/index.js';
import { FEEDBACK_FIELDS, LABELS, labelLine, SUMMARY_FIELDS } from '../../src/report/labels.js';
import { reportText, seeded } from './texts.js';

const PIECES: readonly string[] = [
  ...LABELS.map((label) => `${label}:`), ...LABELS, 'STATUS: success', 'NEXT STEP: review', '**', '__', '`', '```', '~~~', '```js', ':', '\n', '\n\n', '\r\n', '\r', ' ', '\t', ' ', '﻿', '- ', '> ', '# ',
  'success', 'failure', 'review', 'end', NONE, 'none', 'WARNING: x', 'A', 'é', '𝓐', '\uD800', '\0', ': ', '1', '_', '*', '.', 'text',
];

/** A check for every text: it throws nothing, and what it accepts is a whole report that its canonical text gives again. */
function holds(text: string): boolean {
  const parsed = parseReport(text);
  findReport(text);
  if (!parsed.ok) {
    expect(parsed.problems.length).toBeGreaterThan(0);
    return false;
  }
  const { report } = parsed;
  const values = [report.nextStep, ...SUMMARY_FIELDS.map(([, key]) => report.summary[key]), ...FEEDBACK_FIELDS.map(([, key]) => report.feedback[key])];
  expect(values.every((value) => value === value.trimEnd())).toBe(true);
  expect(values.some((value) => value.trim() === '')).toBe(false);
  expect(parseReport(formatReport(report))).toMatchObject({ ok: true, report });
  const lines = text.split(/\r\n|\r|\n/).flatMap((line) => labelLine(line)?.label ?? []);
  // Nothing is accepted that is not all of the four or all of the fourteen labels, each once.
  expect([4, 14]).toContain(lines.length);
  expect(new Set(lines).size).toBe(lines.length);
  expect(reportProblems(report, { success: [{ target: report.nextStep }], failure: [] }).length > 0).toBe(report.status === 'failure' || (report.nextStep === 'end' && FEEDBACK_FIELDS.some(([, key]) => report.feedback[key] !== NONE)));
  return true;
}

describe('any text', () => {
  it('random characters', () => {
    const random = seeded(1);
    for (let round = 0; round < 2_000; round += 1) {
      const length = Math.floor(random() * 400);
      expect(holds(Buffer.from(Array.from({ length }, () => Math.floor(random() * 256))).toString(round % 2 === 0 ? 'utf8' : 'latin1'))).toBe(false);
    }
  });
  it('soups of labels', () => {
    const random = seeded(2);
    for (let round = 0; round < 5_000; round += 1) {
      const count = Math.floor(random() * 60);
      holds(Array.from({ length: count }, () => PIECES[Math.floor(random() * PIECES.length)]).join(''));
    }
  });
  it('reports with values of every kind', () => {
    const random = seeded(3);
    let taken = 0;
    for (let round = 0; round < 5_000; round += 1) {
      const soup = (): string => Array.from({ length: Math.floor(random() * 4) + 1 }, () => PIECES[Math.floor(random() * PIECES.length)]).join('');
      const changes = Object.fromEntries(LABELS.filter((label) => random() < 0.15 && label !== 'SUMMARY' && label !== 'FEEDBACK').map((label) => [label, soup()]));
      const text = random() < 0.2 ? `STATUS: success\nNEXT STEP: review\nSUMMARY: ${soup()}\nFEEDBACK: ${soup()}` : reportText(changes);
      if (holds(random() < 0.2 ? `\`\`\`\n${text}\n\`\`\`` : text)) taken += 1;
    }
    // Else the checks above had nothing to look at.
    expect(taken).toBeGreaterThan(1_000);
  });
  it('one change of a report', () => {
    const random = seeded(4);
    const text = reportText();
    for (let round = 0; round < 3_000; round += 1) {
      const at = Math.floor(random() * text.length);
      holds(`${text.slice(0, at)}${PIECES[Math.floor(random() * PIECES.length)] ?? ''}${text.slice(at + Math.floor(random() * 3))}`);
    }
  });
});

describe('canonical text', () => {
  it('is read as the report it came from', () => {
    const value = '  - a\n    b\n\nNotes: c\n```\nd\n```';
    const report: Report = {
      status: 'failure',
      nextStep: 'fix',
      summary: { completed: value, commits: NONE, notCompleted: '**x**', issuesDiscovered: 'STATUS: 1', verification: 'STATUS: 1\nmore', notes: ':' },
      feedback: { reasonForNextStep: '-', requiredActions: '` `', relevantContext: 'SUMMARY:', expectedResult: '```' },
    };
    expect(parseReport(formatReport(report))).toMatchObject({ ok: true, report: { ...report, summary: { ...report.summary, completed: value } } });
  });
});

/** Texts of a megabyte on which a pattern that goes back and tries again would take minutes or hours; the limit of the test file catches that. */
describe('a megabyte', () => {
  const MIB = 1_048_576;
  it.each([
    ['one letter', 'A'.repeat(MIB)],
    ['marks', '*'.repeat(MIB)],
    ['backticks', '`'.repeat(MIB)],
    ['spaces', ' '.repeat(MIB)],
    ['spaces and a letter', `${' '.repeat(MIB)}x`],
    ['marks before a label', `${'*'.repeat(MIB)}STATUS: success`],
    ['marks behind a label', `STATUS${'*'.repeat(MIB)}: success`],
    ['a status', `STATUS: ${'success '.repeat(MIB / 8)}`],
    ['marks around a status', `STATUS: ${'*'.repeat(MIB / 2)}success${'*'.repeat(MIB / 2)}`],
    ['marks around a node', reportText({ 'NEXT STEP': '*'.repeat(MIB) })],
    ['upper case', `STATUS: success\n${'A B'.repeat(MIB / 3)}`],
    ['blank lines', `STATUS: success\n${'\n'.repeat(MIB)}x`],
    ['one label', 'NOTES:\n'.repeat(MIB / 7)],
    ['labels in a line', 'STATUS: '.repeat(MIB / 8)],
    ['fences', '```\n'.repeat(MIB / 4)],
    ['fences that open', '```js\n'.repeat(MIB / 6)],
    ['indentation', reportText({ NOTES: `\n${Array.from({ length: 1_000 }, (_, line) => `${' '.repeat(line)}x`).join('\n')}` })],
    ['carriage returns', '\r'.repeat(MIB)],
    ['half of a character', '\uD800'.repeat(MIB)],
    ['a long value', reportText({ NOTES: 'word '.repeat(MIB / 5) })],
  ])('%s', (_name, text) => {
    parseReport(text);
    findReport(text);
  });
});
