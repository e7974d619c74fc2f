import { FEEDBACK_FIELDS, FEEDBACK_LABELS, labelLine, LABELS, SECTION_LABELS, SUMMARY_FIELDS, SUMMARY_LABELS, unknownLabel, type Label } from './labels.js';
import { blockText, isText, reportLines } from './lines.js';
import { NONE, type Report, type ReportFeedback, type ReportStatus, type ReportSummary } from './report.js';

/** What a text says as a report. `labels` counts the distinct labels of the contract at the start of its lines, in upper case. */
export type ParsedReport =
  | { readonly ok: true; readonly report: Report; readonly labels: number }
  | { readonly ok: false; readonly problems: readonly string[]; readonly labels: number };

interface Section {
  readonly label: Label;
  /** Without the label: what stands behind it, then the lines up to the next label. */
  readonly lines: string[];
}

/**
 * Reads a report: fourteen labels, each once and in any order, each value up to the next label. Labels may be decorated (`**STATUS:** success`), one code
 * fence around the whole is no part of it, and the four-field form (a value directly below `SUMMARY` and below `FEEDBACK`, no other label below them) is taken as
 * `completed` and `requiredActions`. Every problem is told, each as a sentence to act on; it throws nothing. The rules that need the routes of a node are
 * {@link reportProblems}.
 */
export function parseReport(text: string): ParsedReport {
  const { before, sections } = split(reportLines(text));
  const found = new Map<Label, Section[]>();
  for (const section of sections) {
    const same = found.get(section.label);
    if (same === undefined) found.set(section.label, [section]);
    else same.push(section);
  }
  const labels = found.size;
  if (labels === 0) return { ok: false, problems: ['There is no report in this text: it must begin with the line STATUS:.'], labels };

  const problems = [...(before === undefined ? [] : [before]), ...repeated(found)];
  const value = (label: Label): string => blockText(found.get(label)?.[0]?.lines ?? []);
  const status = statusOf(value('STATUS'));
  problems.push(...missing(found, value), ...misplaced(sections));
  if (value('STATUS') !== '' && status === undefined) problems.push(`The value of STATUS is ${quoted(value('STATUS'))}: write success or failure and nothing else on that line.`);
  if (problems.length > 0 || status === undefined) return { ok: false, problems, labels };
  return { ok: true, report: reportOf(status, value, isFourField(found, value)), labels };
}

function split(lines: readonly string[]): { readonly before: string | undefined; readonly sections: readonly Section[] } {
  const sections: Section[] = [];
  let before: string | undefined;
  for (const line of lines) {
    const found = labelLine(line);
    const current = sections.at(-1);
    if (found !== undefined) sections.push({ label: found.label, lines: [found.value] });
    else if (current !== undefined) current.lines.push(line);
    else if (isText(line)) before ??= `The report must begin with STATUS:. Leave out the text before its first label, which begins with ${quoted(line)}.`;
  }
  return { before, sections };
}

function repeated(found: ReadonlyMap<Label, readonly Section[]>): readonly string[] {
  return LABELS.flatMap((label) => {
    const times = found.get(label)?.length ?? 0;
    return times < 2 ? [] : [`The label ${label} appears ${times} times: write one report with each label once.`];
  });
}

type ValueOf = (label: Label) => string;

/** A report of the four-field form has none of the labels below the headings, and says something directly below one of these. */
function isFourField(found: ReadonlyMap<Label, unknown>, value: ValueOf): boolean {
  return !SECTION_LABELS.some((label) => found.has(label)) && (value('SUMMARY') !== '' || value('FEEDBACK') !== '');
}

function missing(found: ReadonlyMap<Label, unknown>, value: ValueOf): readonly string[] {
  const four = isFourField(found, value);
  const expected: readonly Label[] = four ? ['STATUS', 'NEXT STEP', 'SUMMARY', 'FEEDBACK'] : LABELS;
  const absent = expected.filter((label) => !found.has(label));
  const empty = expected.filter((label) => found.has(label) && value(label) === '' && (four || !isHeading(label)));
  return [
    ...(absent.length === 0 ? [] : [`Missing: ${absent.map((label) => `${label}:`).join(', ')}. Write every label, with ${NONE} where there is nothing to say.`]),
    ...empty.map((label) => `${label} has no value: write ${label === 'STATUS' ? 'success or failure' : label === 'NEXT STEP' ? 'the name of a node' : `${NONE} where there is nothing to say`}.`),
    ...(four ? [] : headingsWithText(found, value)),
  ];
}

function isHeading(label: Label): boolean {
  return label === 'SUMMARY' || label === 'FEEDBACK';
}

function headingsWithText(found: ReadonlyMap<Label, unknown>, value: ValueOf): readonly string[] {
  return (['SUMMARY', 'FEEDBACK'] as const).flatMap((label) => {
    if (!found.has(label) || value(label) === '') return [];
    const below = label === 'SUMMARY' ? SUMMARY_LABELS : FEEDBACK_LABELS;
    return [`${label} is a heading without a value: move ${quoted(value(label))} below one of ${below.join(', ')}.`];
  });
}

/** STATUS and NEXT STEP are one line each; what follows there is neither content nor a label of the contract. */
function misplaced(sections: readonly Section[]): readonly string[] {
  return sections.flatMap(({ label, lines }) => {
    if (label !== 'STATUS' && label !== 'NEXT STEP') return [];
    const filled = lines.filter(isText);
    return filled.slice(1, 4).map((line) => {
      const unknown = unknownLabel(line);
      return unknown === undefined
        ? `${label} takes one line: leave out ${quoted(line)} below it.`
        : `${quoted(unknown)} is no label of a report: leave it out, or put it below a label of SUMMARY or FEEDBACK.`;
    });
  });
}

function statusOf(value: string): ReportStatus | undefined {
  const words = value.match(/[\p{L}\p{N}]+/gu) ?? [];
  const word = words.length === 1 ? words[0]?.toLowerCase() : undefined;
  return word === 'success' || word === 'failure' ? word : undefined;
}

/** A name in code or bold marks is the name. Names may hold underscores, so these stay; no name is as long as what is left alone here. */
function nodeName(value: string): string {
  if (value.length > 200) return value;
  const mark = ['*', '`'].find((one) => value.length > 2 && value.startsWith(one) && value.endsWith(one));
  const inner = mark === undefined ? '' : value.slice(1, -1).trim();
  return inner === '' ? value : nodeName(inner);
}

function reportOf(status: ReportStatus, value: ValueOf, four: boolean): Report {
  return {
    status,
    nextStep: nodeName(value('NEXT STEP')),
    summary: four ? { ...texts<keyof ReportSummary>(SUMMARY_FIELDS, () => NONE), completed: value('SUMMARY') } : texts<keyof ReportSummary>(SUMMARY_FIELDS, value),
    feedback: four ? { ...texts<keyof ReportFeedback>(FEEDBACK_FIELDS, () => NONE), requiredActions: value('FEEDBACK') } : texts<keyof ReportFeedback>(FEEDBACK_FIELDS, value),
  };
}

function texts<Key extends string>(fields: readonly (readonly [Label, Key])[], value: ValueOf): Readonly<Record<Key, string>> {
  return Object.fromEntries(fields.map(([label, key]) => [key, value(label)])) as Record<Key, string>;
}

/** The beginning of a text on one line, for a problem that names it. */
function quoted(text: string): string {
  const line = text.trim().slice(0, 200).replaceAll(/\s+/g, ' ');
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 57)}...` : line);
}
