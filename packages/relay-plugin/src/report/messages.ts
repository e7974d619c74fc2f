import { FEEDBACK_FIELDS, SUMMARY_FIELDS } from './labels.js';
import type { Report } from './report.js';

/** What identifies a report: the attempt of a ticket's run, the node, and the message of the session that holds it. */
export interface ReportAddress {
  readonly runId: string;
  readonly node: string;
  readonly reportId: string;
}

/** What a plugin sends to `relay-flow report`. */
export interface ReportMessage extends ReportAddress {
  readonly report: Report;
}

/** What a plugin sends to `relay-flow runtime-register`. */
export interface RegisterMessage {
  readonly runId: string;
  readonly node: string;
  readonly sessionId: string;
}

export type ReadReportMessage =
  | { readonly ok: true; readonly message: ReportMessage }
  /** `address` is there when only the report below it is wrong: a report that was accepted before is acknowledged without looking at it again. */
  | { readonly ok: false; readonly problems: readonly string[]; readonly address?: ReportAddress };

/** Reads `{runId, node, reportId, report}` with exactly these keys at every level, upper and lower case told apart. Problems are sentences. */
export function readReportMessage(json: unknown): ReadReportMessage {
  const outer = record(json, 'The message', ['runId', 'node', 'reportId', 'report']);
  const ids = [...outer.problems, ...texts(outer, ['runId', 'node', 'reportId'], true)];
  const { problems, report } = readReport(outer.value?.['report']);
  if (outer.value === undefined || ids.length > 0) return { ok: false, problems: outer.value?.['report'] === undefined ? ids : [...ids, ...problems] };
  const address = { runId: String(outer.value['runId']), node: String(outer.value['node']), reportId: String(outer.value['reportId']) };
  return report === undefined ? { ok: false, problems, address } : { ok: true, message: { ...address, report } };
}

export type ReadRegisterMessage = { readonly ok: true; readonly message: RegisterMessage } | { readonly ok: false; readonly problems: readonly string[] };

/** Reads `{runId, node, sessionId}` with exactly these keys, upper and lower case told apart. Problems are sentences. */
export function readRegisterMessage(json: unknown): ReadRegisterMessage {
  const outer = record(json, 'The message', ['runId', 'node', 'sessionId']);
  const problems = [...outer.problems, ...texts(outer, ['runId', 'node', 'sessionId'], true)];
  if (outer.value === undefined || problems.length > 0) return { ok: false, problems };
  return { ok: true, message: { runId: String(outer.value['runId']), node: String(outer.value['node']), sessionId: String(outer.value['sessionId']) } };
}

/** A report as JSON. Empty texts are left to `reportProblems`, which says of them what an agent can do. */
function readReport(json: unknown): { readonly problems: readonly string[]; readonly report?: Report } {
  const report = record(json, 'report', ['status', 'nextStep', 'summary', 'feedback']);
  const summary = record(report.value?.['summary'], 'report.summary', SUMMARY_FIELDS.map(([, key]) => key));
  const feedback = record(report.value?.['feedback'], 'report.feedback', FEEDBACK_FIELDS.map(([, key]) => key));
  const problems = [...report.problems, ...texts(report, ['status', 'nextStep'], false)];
  for (const [part, fields, key] of [[summary, SUMMARY_FIELDS, 'summary'], [feedback, FEEDBACK_FIELDS, 'feedback']] as const) {
    if (report.value !== undefined && key in report.value) problems.push(...part.problems, ...texts(part, fields.map(([, name]) => name), false));
  }
  const status = report.value?.['status'];
  if (typeof status === 'string' && status !== 'success' && status !== 'failure') problems.push('report.status must be success or failure.');
  return problems.length > 0 ? { problems } : { problems, report: json as Report };
}

interface Read {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>> | undefined;
  readonly problems: readonly string[];
}

function record(json: unknown, name: string, keys: readonly string[]): Read {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { name, value: undefined, problems: [`${name} must be an object with the keys ${keys.join(', ')}.`] };
  const value = json as Readonly<Record<string, unknown>>;
  const missing = keys.filter((key) => !Object.hasOwn(value, key));
  const unknown = Object.keys(value).filter((key) => !keys.includes(key));
  return {
    name,
    value,
    problems: [
      ...missing.map((key) => `${name} has no key ${key}.`),
      ...unknown.slice(0, 8).map((key) => {
        const meant = keys.find((one) => one.toLowerCase() === key.toLowerCase());
        return `${name} has the unknown key ${JSON.stringify(key.slice(0, 40))}${meant === undefined ? '' : `; it must be written ${meant}`}.`;
      }),
    ],
  };
}

function texts({ name, value }: Read, keys: readonly string[], filled: boolean): readonly string[] {
  if (value === undefined) return [];
  return keys.flatMap((key) => {
    if (!Object.hasOwn(value, key)) return [];
    const text = value[key];
    if (typeof text !== 'string') return [`${key} of ${name === 'The message' ? 'the message' : name} must be a text.`];
    return filled && text.trim() === '' ? [`${key} of the message must not be empty.`] : [];
  });
}
