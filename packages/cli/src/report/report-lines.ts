import type { Diagnostic, HumanWait, RunReport } from '@relayflows/sdk';
import { cleanLine, cleanText } from '../text/clean.js';
import type { Colors } from '../text/colors.js';
import { counted, moment } from '../text/quantities.js';
import { excerpt, EXCERPT_BYTES } from './excerpt.js';
import type { Problem } from './problem.js';

export interface LineStyle {
  readonly colors: Colors;
  /** Renders a command of this program as the user has to type it. */
  readonly command: (args: string) => string;
  readonly now: number;
}

/** `RUN <id> <status> (<n> steps) completionReason: <reason>` */
export function verdictLine(report: RunReport): string {
  return `RUN ${report.runId} ${report.status} (${counted(report.completedSteps, 'step')}) completionReason: ${report.completionReason ?? 'none'}`;
}

/** What a report has to say on stderr, the first cause first. */
export function reportLines(report: RunReport, style: LineStyle): string[] {
  const lines = report.diagnostics.flatMap((diagnostic) => diagnosticLines(diagnostic, style));
  const waits = report.humanWaits.length > 0 ? report.humanWaits : report.humanWait === undefined ? [] : [report.humanWait];
  if (report.status === 'parked') lines.push(...parkedLines(report, waits, style));
  else if (report.completionReason === 'needs_human') lines.push(`${style.colors.yellow('PARKED')} [needs_human] ${detailOr(report, 'The flow needs a person.')}`);
  else if (report.completionReason === 'declined') lines.push(`${style.colors.yellow('DECLINED')} [run_declined] ${detailOr(report, 'The flow declined its input.')}`);
  else if (report.status !== 'completed' && report.completionReason !== undefined && !report.diagnostics.some(({ severity }) => severity === 'error')) {
    lines.push(`${style.colors.red('FAILED')} [${report.completionReason}] ${detailOr(report, withoutDetail(report.completionReason))}`);
  } else if (report.completionDetail !== undefined) {
    lines.push(`  ${cleanLine(report.completionDetail)}`);
  }
  return lines;
}

function detailOr(report: RunReport, otherwise: string): string {
  return report.completionDetail === undefined ? otherwise : cleanLine(report.completionDetail);
}

function withoutDetail(reason: string): string {
  if (reason === 'canceled') return 'The run was canceled.';
  if (reason === 'budget_exceeded') return 'The budget is spent.';
  return `The flow ended with done('${reason}').`;
}

function parkedLines(report: RunReport, waits: readonly HumanWait[], { colors, command, now }: LineStyle): string[] {
  if (waits.length > 0) {
    return waits.flatMap(({ waitId, question, to }) => [
      `${colors.yellow('PARKED')} [needs_human] ${waitId} asks ${cleanLine(to)}: ${cleanLine(question)}`,
      `  ${colors.bold(command(`answer ${report.runId} ${waitId} yes`))}    (or no)`,
    ]);
  }
  if (report.wakeAt !== undefined) {
    return [`${colors.yellow('PARKED')} [sleeping] It sleeps until ${moment(report.wakeAt, now)}. If the command that ran it has ended, go on with:`, `  ${colors.bold(command(`resume ${report.runId}`))}`];
  }
  const step = report.parkedStep ?? 'A step';
  if (report.parkCause === 'needs_human' && report.parkedStep !== undefined) {
    return [
      `${colors.yellow('PARKED')} [needs_human] ${step} was in flight when its process died, and says that a person decides what becomes of it.`,
      `  ${colors.bold(command(`resume ${report.runId} --step ${step} --rerun`))}    (or --fail)`,
    ];
  }
  return [`${colors.yellow('PARKED')} [${report.parkCause ?? 'waiting'}] ${step} waits.`, `  ${colors.bold(command(`resume ${report.runId}`))}`];
}

/** One diagnostic: the line, then the evidence indented below it. */
export function diagnosticLines(diagnostic: Diagnostic, style: LineStyle): string[] {
  const { colors } = style;
  const { severity, code, message, stepId } = diagnostic;
  const word = severity === 'warning' ? colors.yellow('WARNING') : colors.red('FAILED');
  const where = stepId === undefined || message.includes(stepId) ? '' : `${stepId}: `;
  const lines = messageLines(`${word} [${code}]`, `${where}${message}`, style);
  const facts = [
    diagnostic.exitCode === undefined || /exit (code|status)/.test(message) ? undefined : `exit code ${diagnostic.exitCode}`,
    diagnostic.signal === undefined ? undefined : `signal ${diagnostic.signal}`,
    diagnostic.attempt === undefined || diagnostic.attempt < 2 ? undefined : `attempt ${diagnostic.attempt}`,
  ].filter((fact) => fact !== undefined);
  if (severity === 'error' && facts.length > 0) lines.push(`  ${facts.join(', ')}`);
  if (diagnostic.detail !== undefined && !message.includes(diagnostic.detail)) lines.push(...indented(excerpt(cleanText(diagnostic.detail)), '  '));
  lines.push(...outputLines(diagnostic, colors));
  if (diagnostic.hint !== undefined) lines.push(`  ${asTyped(cleanLine(diagnostic.hint), style)}`);
  if (diagnostic.transcriptPath !== undefined) lines.push(`  transcript: ${cleanLine(diagnostic.transcriptPath)}`);
  return lines;
}

/** A message may go on below its first line: a source excerpt, a list of problems. */
function messageLines(prefix: string, text: string, style: LineStyle): string[] {
  const [first = '', ...rest] = cleanText(text).split('\n');
  return [`${prefix} ${asTyped(first.trim(), style)}`, ...rest.map((line) => `  ${line}`.trimEnd())];
}

/** Both streams share the room of one excerpt; what the shorter leaves over is the other's. */
function outputLines({ stderrTail = '', stdoutTail = '' }: Diagnostic, colors: Colors): string[] {
  const [stderr, stdout] = [cleanText(stderrTail).trimEnd(), cleanText(stdoutTail).trimEnd()];
  const stderrShown = excerpt(stderr, Math.max(EXCERPT_BYTES / 2, EXCERPT_BYTES - Buffer.byteLength(stdout)));
  const stdoutShown = excerpt(stdout, EXCERPT_BYTES - Buffer.byteLength(stderrShown));
  const shown = (stream: string, text: string): string[] => (text === '' ? [] : [`  ${stream}:`, ...indented(text, `  ${colors.dim('|')} `)]);
  return [...shown('stderr', stderrShown), ...shown('stdout', stdoutShown)];
}

function indented(text: string, by: string): string[] {
  return text.split('\n').map((line) => `${by}${line}`.trimEnd());
}

/** A refusal, or a failure outside any run: the same form. */
export function problemLines(problem: Problem, style: LineStyle): string[] {
  const { colors } = style;
  const word = problem.exit === 2 ? colors.red('REFUSED') : problem.exit === 3 ? colors.yellow('PARKED') : colors.red('FAILED');
  const lines = messageLines(`${word} [${problem.code}]`, problem.text, style);
  const evidence = problem.evidence ?? {};
  const place = placeOf(evidence);
  if (place !== undefined && !problem.text.includes(place)) lines.push(`  at ${cleanLine(place)}`);
  for (const [name, value] of Object.entries(evidence)) {
    if (PLACE.has(name) || value === undefined || isSaid(value, `${problem.text}\n${problem.hint ?? ''}`)) continue;
    lines.push(...evidenceLines(name, value, colors));
  }
  if (problem.hint !== undefined) lines.push(`  ${asTyped(cleanLine(problem.hint), style)}`);
  if (problem.bugReport !== undefined) lines.push('', ...problem.bugReport.map((line) => `  ${cleanText(line)}`));
  return lines;
}

/** What fits beside its name is easier to read there. */
const EVIDENCE_LINE = 80;

const PLACE = new Set(['path', 'line', 'column']);

function placeOf({ path, line, column }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof path !== 'string') return undefined;
  if (typeof line !== 'number') return path;
  return typeof column === 'number' ? `${path}:${line}:${column}` : `${path}:${line}`;
}

/** Evidence is data for programs. A person is spared what the sentences say already. */
function isSaid(value: unknown, sentences: string): boolean {
  if (typeof value === 'string') return sentences.includes(value);
  if (typeof value === 'number') return (sentences.match(/\d[\d,]*/g) ?? []).some((digits) => digits.replaceAll(',', '') === String(value));
  if (typeof value === 'object') return value === null || Object.values(value).every((member) => isSaid(member, sentences));
  return false;
}

function evidenceLines(name: string, value: unknown, colors: Colors): string[] {
  if (typeof value === 'string' && value.includes('\n')) return [`  ${name}:`, ...indented(excerpt(cleanText(value)), `  ${colors.dim('|')} `)];
  if (typeof value === 'object' && value !== null) {
    const line = cleanLine(JSON.stringify(value));
    if (line.length <= EVIDENCE_LINE) return [`  ${name}: ${line}`];
    return [`  ${name}:`, ...indented(excerpt(cleanText(JSON.stringify(value, null, 2))), `  ${colors.dim('|')} `)];
  }
  return [`  ${name}: ${cleanLine(String(value))}`];
}

/** Texts name commands as `flows …`; someone who came through npx has to type more. */
function asTyped(text: string, { command }: LineStyle): string {
  return text.replace(/`flows (?=[a-z<-])([^`]*)`/g, (_, args: string) => `\`${command(args)}\``);
}

/** What a user does next, where the report itself does not say so already. */
export function nextLines(report: RunReport, { colors, command }: LineStyle): string[] {
  if (report.status === 'interrupted') return [`Stopped; finished steps are kept. Go on with: ${colors.bold(command(`resume ${report.runId}`))}`];
  if (report.status !== 'failed' && report.status !== 'canceled') return [];
  const failed = report.diagnostics.find(({ severity, stepId }) => severity === 'error' && stepId !== undefined)?.stepId;
  return [`  more: ${command(failed === undefined ? `replay ${report.runId}` : `logs ${report.runId} ${failed}`)}`];
}
