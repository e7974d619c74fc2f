import type { RunEvent } from '@relayflows/sdk';
import { isSilent, phaseLine, type Observer } from '../execution/observer.js';
import { progressLine } from '../execution/plain-progress.js';
import { StepOutputs } from '../execution/step-outputs.js';
import type { StopSignals } from '../execution/stop-signals.js';
import type { Io } from '../io.js';
import { cleanColored, cleanText } from '../text/clean.js';
import { colorsFor } from '../text/colors.js';
import { ASCII, finishedLine, frameLines, UNICODE, type FrameStyle } from './frame.js';
import { listenToKeys, type Keyboard } from './keyboard.js';
import { Painter } from './painter.js';
import { absorb, emptyView } from './view-state.js';

/** Milliseconds between repaints. */
const REPAINT = 100;

export interface LiveViewOptions {
  readonly io: Io;
  readonly signals: StopSignals;
  readonly verbose: boolean;
}

/** Shows a run on a terminal: finished steps stay above, running ones are repainted below. */
export function liveView({ io, signals, verbose }: LiveViewOptions): Observer {
  const view = emptyView();
  const painter = new Painter(io.stderr);
  const colors = colorsFor(true, io.env);
  const symbols = io.env['TERM'] === 'linux' ? ASCII : UNICODE;
  const outputs = new StepOutputs((stepId, line) => painter.print(`${colors.dim(`${stepId} ${symbols.bar}`)} ${cleanText(line)}\n`));
  let [showOutput, showHelp, closed, tick] = [false, false, false, 0];

  // The last column stays free: some terminals wrap as soon as it is written.
  const style = (): FrameStyle => ({ colors, symbols, columns: Math.max(1, io.stderr.columns - 1), rows: io.stderr.rows });
  const repaint = (): void => {
    if (closed || view.startedAt === undefined) return;
    painter.paint(frameLines({ view, now: io.now(), tick, showOutput, showHelp, keys: keyboard !== undefined, stopping: signals.stoppedBy !== undefined }, style()));
  };
  const onKey = (key: string): void => {
    if (key === '\u0003') signals.raise('SIGINT');
    // The terminal would tell the whole group, so the others stop as well.
    else if (key === '\u001A') process.kill(0, 'SIGTSTP');
    else if (key === '\u001C') quit();
    else if (key === 'o') showOutput = !showOutput;
    else if (key === '?') showHelp = !showHelp;
    else return;
    repaint();
  };
  let keyboard: Keyboard | undefined = listenToKeys(onKey);

  const giveBack = (): void => {
    painter.clear();
    keyboard?.release();
    keyboard = undefined;
  };
  const wake = (): void => {
    keyboard ??= listenToKeys(onKey);
    repaint();
  };
  const suspend = (): void => {
    giveBack();
    process.once('SIGCONT', wake);
    process.kill(process.pid, 'SIGSTOP');
  };
  process.on('SIGTSTP', suspend);
  const quit = (): void => {
    giveBack();
    process.kill(process.pid, 'SIGQUIT');
  };

  const timer = setInterval(() => {
    tick += 1;
    repaint();
  }, REPAINT);
  timer.unref();
  const onResize = (): void => repaint();
  process.on('SIGWINCH', onResize);
  const onExit = (): void => painter.clear();
  process.on('exit', onExit);

  return {
    event(event: RunEvent) {
      if (event.type === 'step.output' && verbose) outputs.push(event);
      if (event.type === 'step.completed') outputs.end(event.stepId);
      const ended = absorb(view, event);
      if (event.type === 'step.completed' && ended !== undefined && !isSilent(event.kind)) painter.print(`${finishedLine(ended, event, style())}\n`);
      const line = lineFor(event, verbose);
      if (line !== undefined) painter.print(`${line}\n`);
    },
    print: (text) => painter.print(cleanColored(text)),
    close() {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      giveBack();
      process.off('SIGWINCH', onResize);
      process.off('SIGTSTP', suspend);
      process.off('SIGCONT', wake);
      process.off('exit', onExit);
    },
  };
}

/** What stays on the screen besides finished steps. Questions are part of the report. */
function lineFor(event: RunEvent, verbose: boolean): string | undefined {
  switch (event.type) {
    case 'run.started':
    case 'run.replayed':
    case 'step.retrying':
      return progressLine(event);
    case 'wait.opened':
      return event.wait === 'human' ? undefined : progressLine(event);
    case 'step.agent':
      return progressLine(event, { verbose });
    case 'phase':
      return phaseLine(event.name);
    default:
      return undefined;
  }
}
