// A host in a process of its own: `host.mjs run <flow>` or `host.mjs resume|answer <run>`, in the directory of the run. Prints what came of it as JSON.
import { createRuntime } from '@relayflows/sdk';
import { flows, sending } from './flows.mjs';

const [verb, subject] = process.argv.slice(2);
const runtime = createRuntime({ flows: Object.fromEntries(Object.entries(flows).map(([name, flow]) => [name, { version: '1', flow }])) });
if (verb === 'answer') await runtime.answer({ runId: subject, waitId: 'human-2', answer: true, answeredBy: 'maria' });
const handle = verb === 'run' ? runtime.run(flows[subject]) : runtime.resume(subject);
if (subject === 'looping') {
  sending.promise = handle.created.then(async () => {
    for (const payload of ['a', 'b', 'c']) await runtime.signal({ runId: handle.id, name: 'go', payload });
  });
}
try {
  const { status, completionReason, completionDetail, completedSteps } = await handle.result;
  console.log(JSON.stringify({ runId: handle.id, status, completionReason, completionDetail, completedSteps }));
} catch (error) {
  console.log(JSON.stringify({ runId: handle.id, error: error.code }));
}
await runtime.close();
