import { captureFlowConsole, createRuntime, sealFlow, type RunReport } from '@relayflows/sdk';
import { wrapperAdapter } from '@relayflows/sdk/agents';
import { claimUncaught } from '../execution/uncaught.js';
import type { Scenario } from './scenario.js';
import type { Scratch } from './scratch.js';
import type { StoryView } from './show-story.js';

export interface Played {
  readonly report: RunReport;
  /** What the flow itself printed. */
  readonly said: string;
}

export interface Play {
  readonly scratch: Scratch;
  readonly scenario: Scenario;
  readonly view: StoryView;
  /** Given what stops the run in good order, as soon as there is one. */
  readonly onStoppable: (stop: () => void) => void;
}

/** Runs the published flow in the scratch folder until it rests. */
export async function play({ scratch, scenario, view, onStoppable }: Play): Promise<Played> {
  let said = '';
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
    const flow = await sealFlow(scratch.flow, { env: scratch.env });
    const handle = runtime.run(flow, { input: { issue: scenario.ticket, approver: 'you' }, cwd: scratch.checkout });
    onStoppable(() => void handle.interrupt());
    return { report: await handle.result, said };
  } finally {
    view.close();
    release();
    await runtime.close();
    releaseUncaught();
  }
}
