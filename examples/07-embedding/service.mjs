/**
 * A small HTTP service that runs flows. It starts them, tells how they stand, and takes answers to their questions.
 *
 *   POST /runs                {"flow":"release","input":{…}}                        202 {"id":"…"}
 *   GET  /runs/<id>                                                                200 {"status":"parked","questions":[…],…}
 *   POST /runs/<id>/answers   {"waitId":"human-1","answer":true,"by":"ada"}        202
 *
 * Start it with `node main.mjs`. Killed and started again it goes on with the runs it left behind.
 */
import { createServer } from 'node:http';
import { createRuntime, isFlowsError } from '@relayflows/sdk';

/**
 * @param {{ dataDir: string, cwd: string, flows: import('@relayflows/sdk').RuntimeOptions['flows'] }} options
 *   `dataDir` keeps the journal, `cwd` is where steps run, `flows` are those a caller may start.
 */
export async function createService({ dataDir, cwd, flows }) {
  const runtime = createRuntime({ dataDir, flows });

  // What an earlier process was executing when it ended is picked up; runs that wait for a person stay at rest.
  for (const { id } of await runtime.list({ statuses: ['running', 'interrupted'] })) follow(runtime.resume(id));

  const routes = [
    { method: 'POST', path: /^\/runs$/, handle: start },
    { method: 'GET', path: /^\/runs\/([^/]+)$/, handle: show },
    { method: 'POST', path: /^\/runs\/([^/]+)\/answers$/, handle: answer },
  ];

  async function start(request) {
    const { flow, input } = await readJson(request);
    const run = runtime.run(flow, { input, cwd });
    follow(run);
    await run.created;
    return { status: 202, body: { id: run.id } };
  }

  async function show(_request, id) {
    const { report } = await runtime.status(id);
    const { status, completionReason, completionDetail, humanWaits } = report;
    return { status: 200, body: { status, completionReason, completionDetail, questions: humanWaits } };
  }

  async function answer(request, id) {
    const { waitId, answer: given, by } = await readJson(request);
    await runtime.answer({ runId: id, waitId, answer: given, answeredBy: by });
    follow(runtime.resume(id));
    return { status: 202, body: {} };
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://service');
    const route = routes.find(({ method, path }) => method === request.method && path.test(pathname));
    const reply = route === undefined
      ? { status: 404, body: { code: 'no_such_route' } }
      : await route.handle(request, ...route.path.exec(pathname).slice(1)).catch(refusal);
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
  });

  return {
    server,
    /** Stops taking requests and leaves every run so that the next start goes on with it. */
    async close() {
      await new Promise((resolve) => server.close(resolve));
      await runtime.close();
    },
  };
}

/** A run that fails says so in its report. What rejects was refused: `created` told the caller, if there is one, and the log tells the operator. */
function follow(run) {
  run.created.catch(() => {});
  run.result.catch((error) => console.error(String(error)));
}

async function readJson(request) {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return JSON.parse(text);
}

function refusal(error) {
  if (error instanceof SyntaxError) return { status: 400, body: { code: 'body_invalid', message: error.message } };
  if (!isFlowsError(error)) {
    console.error(error);
    return { status: 500, body: { code: 'internal', message: 'This is a bug of the service.' } };
  }
  const status = error.code === 'run_not_found' || error.code === 'human_wait_unknown' ? 404 : 400;
  return { status, body: { code: error.code, message: error.text, hint: error.hint } };
}
