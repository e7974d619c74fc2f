// A host in a process of its own: `agent-host.mjs run|resume|cancel [<run>]` in the directory of the run. The flow's one agent step is AGENT_STEP, as JSON.
// SIGINT interrupts the run as `flows run` does. Prints what came of it as JSON.
import { createRuntime } from '@relayflows/sdk';
import { flow } from '@relayflows/surface';

const [verb, run] = process.argv.slice(2);
const { llm, ...options } = JSON.parse(process.env.AGENT_STEP);
let value;
let error;
const subject = flow('subject', async (f) => {
  try {
    value = await (llm ? f.llm('question', { output: {}, ...options }) : f.agent('coder', { task: 'Do it.', ...options }));
  } catch (caught) {
    error = { code: caught.code, message: caught.message, evidence: caught.evidence };
  }
  f.done('success');
});
const runtime = createRuntime({ dataDir: process.env.AGENT_DATA, flows: { subject: { version: '1', flow: subject } } });
const handle = verb === 'run' ? runtime.run('subject') : runtime.resume(run);
process.on('SIGINT', () => void handle.interrupt());
process.on('SIGUSR2', () => void handle.cancel());
console.log(JSON.stringify({ runId: handle.id }));
const report = await handle.result;
await runtime.close();
console.log(JSON.stringify({ status: report.status, completionReason: report.completionReason, value, error, warnings: report.diagnostics.filter(({ severity }) => severity === 'warning').map(({ code }) => code) }));
