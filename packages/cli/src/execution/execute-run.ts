import type { RunHandle, RunReport, Runtime, RuntimeOptions } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { exitStatus, SIGNAL_EXIT, type StoppingSignal } from '../report/exit-status.js';
import type { Resolution } from '../check/resolution.js';
import type { Observer } from './observer.js';
import { printReport } from './print-report.js';
import { listenForStop, type StopSignals } from './stop-signals.js';

export interface Execution {
  readonly context: CommandContext;
  /** Makes the runtime the run lives in. */
  readonly open: (options: Pick<RuntimeOptions, 'onEvent'>) => Runtime;
  readonly start: (runtime: Runtime) => RunHandle | Promise<RunHandle>;
  /** The flow file, for the report. */
  readonly path: string | null;
  readonly resolutions?: readonly Resolution[];
}

/** Executes a run until it rests, shows it meanwhile, and prints its report. Answers with the exit status. Rejects when the run was refused. */
export async function executeRun({ context, open, start, path, resolutions }: Execution): Promise<number> {
  const { captureFlowConsole, killAllNow } = await import('@relayflows/sdk');
  let handle: RunHandle | undefined;
  let observer: Observer | undefined;

  const signals = listenForStop({
    stop(signal) {
      // Before there is a run there is nothing to stop in order.
      if (handle === undefined) return die(signal);
      observer?.print('Stopping. The run can be resumed afterwards. Press Ctrl-C again to kill it at once.\n');
      void handle.interrupt();
    },
    kill: (signal) => die(signal),
  });
  const die = (signal: StoppingSignal): void => {
    observer?.close();
    killAllNow();
    if (handle !== undefined) context.io.stderr.write(`Killed. ${context.style.command(`resume ${handle.id}`)} goes on with what is finished.\n`);
    process.exit(SIGNAL_EXIT[signal]);
  };

  const shown = await chooseObserver(context, signals);
  observer = shown;
  const release = captureFlowConsole((text) => shown.print(text));
  const runtime = open({ onEvent: (event) => shown.event(event) });
  // Code of the flow that throws from a timer or an emitter is in the same position as one that rejects: the runtime makes it the run's failure.
  process.setUncaughtExceptionCaptureCallback((error) => void Promise.reject(error));
  let report: RunReport;
  try {
    handle = await start(runtime);
    report = await handle.result;
  } finally {
    shown.close();
    release();
    process.setUncaughtExceptionCaptureCallback(null);
  }
  await runtime.close();
  await printReport({ context, report, path, ...(resolutions === undefined ? {} : { resolutions }) });
  signals.release();
  return exitStatus(report, signals.stoppedBy);
}

async function chooseObserver({ invocation: { switches }, io }: CommandContext, signals: StopSignals): Promise<Observer> {
  if (switches.has('json')) return (await import('./quiet.js')).quietObserver(io.stderr);
  if (switches.has('json-events')) return (await import('./event-lines.js')).eventLines(io.stdout, io.stderr);
  const verbose = switches.has('verbose');
  if (io.stderr.isTerminal && io.env['TERM'] !== 'dumb') return (await import('../terminal/live-view.js')).liveView({ io, signals, verbose });
  return (await import('./plain-progress.js')).plainProgress(io.stderr, { verbose });
}
