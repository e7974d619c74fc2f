import type { RunEvent } from '@relayflows/sdk';
import { cleanLine } from '../text/clean.js';
import type { Colors } from '../text/colors.js';
import { duration, moment, money, ticking, tokensUsed } from '../text/quantities.js';
import { pad, truncate, widthOf } from '../text/width.js';
import { costSoFar, lastLines, type LiveStep, type ViewState } from './view-state.js';

export interface FrameStyle {
  readonly colors: Colors;
  readonly symbols: Symbols;
  readonly columns: number;
  readonly rows: number;
}

export interface Symbols {
  readonly spinner: readonly string[];
  readonly done: string;
  readonly failed: string;
  readonly waiting: string;
  readonly bar: string;
}

export const UNICODE: Symbols = { spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'], done: '✓', failed: '✗', waiting: '…', bar: '│' };
export const ASCII: Symbols = { spinner: ['|', '/', '-', '\\'], done: '+', failed: 'x', waiting: '.', bar: '|' };

export interface FrameRequest {
  readonly view: ViewState;
  readonly now: number;
  /** Counts up with each repaint. */
  readonly tick: number;
  readonly showOutput: boolean;
  readonly showHelp: boolean;
  /** Whether keys are read. */
  readonly keys: boolean;
  readonly stopping: boolean;
}

const OUTPUT_LINES = 8;

/** The lines that are repainted: one per running step, its last output where asked for, and a line on the whole. None is wider than the terminal. */
export function frameLines(request: FrameRequest, style: FrameStyle): string[] {
  const { view, showOutput, showHelp } = request;
  const steps = [...view.live.values()];
  const footer = [...(showHelp ? helpLines(style) : []), footerLine(request, style)];
  const room = Math.max(1, style.rows - footer.length - 1);
  const talking = showOutput ? lastToWrite(steps) : undefined;
  const output = talking === undefined ? [] : lastLines(talking, Math.min(OUTPUT_LINES, Math.max(0, room - 2)));

  const stepRoom = Math.max(1, room - output.length);
  const shown = steps.length <= stepRoom ? steps : steps.slice(0, stepRoom - 1);
  const lines: string[] = [];
  for (const step of shown) {
    lines.push(stepLine(step, request, style));
    if (step === talking) lines.push(...outputLines(output, style));
  }
  if (talking !== undefined && !shown.includes(talking)) lines.push(...outputLines(output, style));
  if (shown.length < steps.length) lines.push(style.colors.dim(truncate(`  and ${steps.length - shown.length} more`, style.columns)));
  return [...lines, ...footer].slice(-Math.max(1, style.rows - 1));
}

/** Of several running steps the one that has news. */
function lastToWrite(steps: readonly LiveStep[]): LiveStep | undefined {
  return steps.filter(({ wait }) => wait === undefined).reduce<LiveStep | undefined>((last, step) => (last === undefined || step.wroteAt > last.wroteAt ? step : last), undefined);
}

function stepLine(step: LiveStep, { now, tick, view }: FrameRequest, style: FrameStyle): string {
  const { colors, symbols, columns } = style;
  const mark = step.wait === undefined ? symbols.spinner[tick % symbols.spinner.length] ?? '' : symbols.waiting;
  const time = timeOf(step, now);
  const cost = step.spend === undefined ? '' : money(step.spend);
  const attempt = step.attempt > 1 ? `attempt ${step.attempt}` : '';
  const phase = step.phase !== undefined && step.phase !== view.phase ? step.phase : '';
  return assembled({ mark, paint: colors.cyan, id: step.stepId, title: step.title, facts: [time, cost, tokensUsed(step.spend), attempt, phase] }, colors, columns);
}

function timeOf(step: LiveStep, now: number): string {
  if (step.wait?.dueAt !== undefined) return `until ${moment(step.wait.dueAt, now)}`;
  if (step.wait !== undefined) return 'waiting';
  if (step.retryAt !== undefined && step.retryAt > now) return `again in ${ticking(step.retryAt - now + 999)}`;
  return ticking(now - step.startedAt);
}

/** A step that ended, as it stays above the frame. */
export function finishedLine(step: LiveStep, event: Extract<RunEvent, { readonly type: 'step.completed' }>, style: FrameStyle): string {
  const { colors, symbols, columns } = style;
  const [mark, paint] = event.ok ? [symbols.done, colors.green] : [symbols.failed, colors.red];
  const facts = [
    duration(event.durationMs),
    event.spend === undefined ? '' : money(event.spend),
    tokensUsed(event.spend),
    event.exitCode === undefined || event.exitCode === 0 ? '' : `exit ${event.exitCode}`,
    event.error === undefined ? '' : cleanLine(event.error.code),
  ];
  return assembled({ mark, paint, id: step.stepId, title: step.title, facts }, colors, columns);
}

interface Parts {
  readonly mark: string;
  readonly paint: (mark: string) => string;
  readonly id: string;
  readonly title: string;
  /** The most important first: the last ones give way. */
  readonly facts: readonly string[];
}

const ID_WIDTH = 8;
const NARROWEST = 8;
const TITLE_LEAST = 12;
const PHASE_LEAST = 6;
/** Where a line on the whole has room for tokens beside the money, the phase and the keys. */
const ROOMY = 80;

/** `⠋ run-3    npm test            12s  $0.04`; on a narrow terminal facts go first, then the title. */
function assembled({ mark, paint, id, title, facts }: Parts, colors: Colors, columns: number): string {
  if (columns < NARROWEST) return truncate(`${mark} ${id}`, columns);
  const markWidth = widthOf(mark);
  const shown = facts.filter((fact) => fact !== '');
  const factsWidth = (): number => shown.reduce((total, fact) => total + 2 + widthOf(fact), 0);
  const before = markWidth + 1 + Math.max(widthOf(id), columns >= 40 ? ID_WIDTH : 0);
  while (shown.length > 1 && before + 2 + Math.min(TITLE_LEAST, widthOf(title)) + factsWidth() > columns) shown.pop();

  const titleRoom = columns - before - 2 - factsWidth();
  const cut = titleRoom >= 4 ? truncate(title, titleRoom) : '';
  const idText = pad(truncate(id, Math.max(1, columns - markWidth - 1)), columns >= 40 && cut !== '' ? ID_WIDTH : 0);
  const used = markWidth + 1 + widthOf(idText) + (cut === '' ? 0 : 2 + widthOf(cut));
  const rest = columns - used;
  const tail = shown.map((fact) => `  ${fact}`).join('');
  const dim = widthOf(tail) <= rest ? tail : truncate(tail, rest);
  return `${paint(mark)} ${colors.bold(idText)}${cut === '' ? '' : `  ${cut}`}${colors.dim(dim)}`;
}

function outputLines(output: readonly string[], { colors, symbols, columns }: FrameStyle): string[] {
  return output.map((line) => colors.dim(truncate(`  ${symbols.bar} ${line}`, columns)));
}

function footerLine({ view, now, keys, stopping }: FrameRequest, { colors, columns }: FrameStyle): string {
  const spend = costSoFar(view);
  const before = [
    stopping ? 'stopping' : `${view.finished} done`,
    view.failed === 0 ? '' : `${view.failed} failed`,
    view.startedAt === undefined ? '' : ticking(now - view.startedAt),
    money(spend),
    columns < ROOMY ? '' : tokensUsed(spend),
  ];
  const phase = view.phase ?? '';
  // The phase is the author's text and may be long: it is cut before the keys go, which are learned here.
  for (const after of keys ? [['o output', '? help'], ['? help']] : []) {
    const joined = (shown: string): string => `  ${[...before, shown, ...after].filter((part) => part !== '').join(' · ')}`;
    const room = columns - widthOf(joined('')) - widthOf(' · ');
    if (room >= Math.min(PHASE_LEAST, widthOf(phase))) return colors.dim(joined(truncate(phase, room)));
  }
  return colors.dim(truncate(`  ${[...before, phase].filter((part) => part !== '').join(' · ')}`, columns));
}

function helpLines({ colors, columns }: FrameStyle): string[] {
  return [
    '  o       show or hide the last output of the running step',
    '  ctrl-c  stop; the run can be resumed. Twice: kill at once',
    '  ?       hide this',
  ].map((line) => colors.dim(truncate(line, columns)));
}
