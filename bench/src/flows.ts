import { createRuntime, type RunReport, type Runtime } from '@relayflows/sdk';
import { flow, type FlowHandle } from '@relayflows/surface';

interface Count {
  readonly steps: number;
}

/** No-op steps, one after the other. */
export const noops = flow<Count>('noops', async (f, { steps }) => {
  for (let index = 0; index < steps; index += 1) await f.uuid();
  f.done('success');
});

/** Shell steps, one after the other. */
export const shells = flow<Count>('shells', async (f, { steps }) => {
  for (let index = 0; index < steps; index += 1) await f.run('true');
  f.done('success');
});

/** A runtime that keeps its journal in `dataDir` and knows one flow. */
export function runtimeFor(dataDir: string, handle: FlowHandle): Runtime {
  return createRuntime({ dataDir, flows: { [handle.name]: { version: '1.0.0', flow: handle } } });
}

/** Throws unless a run came to the end it was made for. */
export function assertEnded(report: RunReport, expected: string): void {
  if (report.completionReason !== expected) throw new Error(`A run ended ${report.completionReason}: ${JSON.stringify(report.diagnostics)}`);
}
