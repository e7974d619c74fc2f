import { captureFlowConsole, createRuntime, killAllNow, sealFlow, type RunHandle, type RunReport } from '@relayflows/sdk';
import { wrapperAdapter } from '@relayflows/sdk/agents';
import { listenForStop } from '../execution/stop-signals.js';
import { claimUncaught } from '../execution/uncaught.js';
import { SIGNAL_EXIT, type StoppingSignal } from '../report/exit-status.js';
import type { Scenario } from './scenario.js';
import type { Scratch } from './scratch.js';
import type { StoryView } from './show-story.js';

export interface Played {
  readonly report: RunReport;
  /** What the flow itself printed. */
  readonly said: string;
  readonly stoppedBy: StoppingSignal | undefined;
}

/** Runs the published flow in the scratch folder until it rests. Ctrl-C stops it in good order, a second one at once. */
export async function play({ scratch, scenario, view }: { readonly scratch: Scratch; readonly scenario: Scenario; readonly view: StoryView }): Promise<Played> {
  let handle: RunHandle | undefined;
  let said = '';
  const die = (signal: StoppingSignal): void => {
    view.close();
    killAllNow();
    scratch.remove();
    process.exit(SIGNAL_EXIT[signal]);
  };
  const signals = listenForStop({
    stop: (signal) => {
      if (handle === undefined) return die(signal);
      view.print('Stopping.\n');
      void handle.interrupt();
    },
    kill: die,
  });
  const release = captureFlowConsole((text) => {
    said += text;
  });
  const runtime = createRuntime({
    dataDir: scratch.dataDir,
    env: scratch.env,
    ownsProcess: true,
    // The flow is run as it was published, and names real CLIs: here a script answers to their names.
    agents: [{ ...wrapperAdapter, name: 'script', matches: () => true }],
    onEvent: (event) => view.event(event),
  });
  const releaseUncaught = claimUncaught((error) => void Promise.reject(error));
  try {
    handle = runtime.run(await sealFlow(scratch.flow, { env: scratch.env }), { input: { issue: scenario.ticket, approver: 'you' }, cwd: scratch.checkout });
    const report = await handle.result;
    return { report, said, stoppedBy: signals.stoppedBy };
  } finally {
    view.close();
    release();
    await runtime.close();
    releaseUncaught();
    signals.release();
  }
}
