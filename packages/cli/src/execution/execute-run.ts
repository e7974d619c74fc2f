import type { RunHandle, RunReport, Runtime, RuntimeOptions } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { exitStatus, SIGNAL_EXIT, type StoppingSignal } from '../report/exit-status.js';
import { watchForEarlyExit } from './early-exit.js';
import type { Observer } from './observer.js';
import { printReport } from './print-report.js';
import { listenForStop, type StopSignals } from './stop-signals.js';
import { tellOnce } from './tell-once.js';
import { claimUncaught } from './uncaught.js';

export interface Execution {
  readonly context: CommandContext;
  /** Makes the runtime the run lives in. */
  readonly open: (options: Pick<RuntimeOptions, 'onEvent'>) => Runtime;
  readonly start: (runtime: Runtime) => RunHandle | Promise<RunHandle>;
  /** The flow file, for the report. */
  readonly path: string | null;
}

/** Executes a run until it rests, shows it meanwhile, and prints its report. Answers with the exit status. Rejects when the run was refused. */
export async function executeRun({ context, open, start, path }: Execution): Promise<number> {
  const [{ captureFlowConsole, killAllNow }, observe] = await Promise.all([import('@relayflows/sdk'), observerFor(context)]);
  let handle: RunHandle | undefined;

  const endWatch = watchForEarlyExit({ context, path, runId: () => handle?.id });
  const die = (signal: StoppingSignal): void => {
    endWatch();
    shown.close();
    killAllNow();
    if (handle !== undefined) context.io.stderr.write(`Killed. ${context.style.command(`resume ${handle.id}`)} goes on with what is finished.\n`);
    process.exit(SIGNAL_EXIT[signal]);
  };
  const signals = listenForStop({
    stop(signal) {
      // Before there is a run there is nothing to stop in order.
      if (handle === undefined) return die(signal);
      shown.print('Stopping. The run can be resumed afterwards. Press Ctrl-C again to kill it at once.\n');
      void handle.interrupt();
    },
    kill: die,
  });
  const shown = observe(signals);
  const release = captureFlowConsole((text) => shown.print(text));
  const runtime = open({ onEvent: (event) => shown.event(event) });
  // Code of the flow that throws from a timer is in the same position as code whose rejection nobody handles: the runtime makes it the run's failure.
  const releaseUncaught = claimUncaught((error) => void Promise.reject(error));
  let report: RunReport;
  try {
    handle = await start(runtime);
    report = await handle.result;
  } finally {
    shown.close();
    release();
    await runtime.close();
    releaseUncaught();
    endWatch();
  }
  await printReport({ context, report, path });
  signals.release();
  return exitStatus(report, signals.stoppedBy);
}

/** Loads only the view that is used. */
async function observerFor({ invocation: { switches }, io }: CommandContext): Promise<(signals: StopSignals) => Observer> {
  const verbose = switches.has('verbose');
  if (switches.has('json')) {
    const { quietObserver } = await import('./quiet.js');
    return () => quietObserver(io.stderr);
  }
  if (switches.has('json-events')) {
    const { eventLines } = await import('./event-lines.js');
    return () => eventLines(io.stdout, io.stderr);
  }
  if (io.stderr.isTerminal && io.env['TERM'] !== 'dumb') {
    const { liveView } = await import('../terminal/live-view.js');
    return (signals) => tellOnce(liveView({ io, signals, verbose }));
  }
  const { plainProgress } = await import('./plain-progress.js');
  return () => tellOnce(plainProgress(io.stderr, { verbose }));
}
