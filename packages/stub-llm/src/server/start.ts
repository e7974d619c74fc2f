import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkScenario } from '../scenario/check.js';
import type { Scenario } from '../scenario/scenario.js';
import { TurnChooser } from '../turns/choose.js';
import { answerRequest, type Stage } from './answer.js';
import { isStubRequest, RequestLog, type LogEntry, type StubRequest } from './log.js';
import { Reply } from './reply.js';

export interface StubOptions {
  readonly scenario: Scenario;
  /** File to which every entry of the log is appended as a line of JSON. */
  readonly log?: string;
  /** Default: any free one. */
  readonly port?: number;
}

export interface StubServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The requests for an answer so far, in order. */
  requests(): readonly StubRequest[];
  /** Everything so far, in order: also other requests, how answers went, and turns that could not be played. */
  entries(): readonly LogEntry[];
  /** The first request for an answer that fits, of those so far or to come. Rejects when the server stops before. */
  request(fits: (request: StubRequest) => boolean): Promise<StubRequest>;
  /** Closes every connection, answered or not. May be called twice. */
  stop(): Promise<void>;
}

/** Starts a server on 127.0.0.1 that many CLIs may use at the same time. Throws a `ScenarioError` when the scenario is none. */
export async function startStub({ scenario, log: file, port = 0 }: StubOptions): Promise<StubServer> {
  const checked = checkScenario(scenario, 'What startStub was given');
  const log = new RequestLog(file);
  const stage: Stage = { scenario: checked, chooser: new TurnChooser(checked), log };
  let count = 0;
  const server = createServer((request, response) => {
    const reply = new Reply(response);
    void serve(stage, request, reply, () => (count += 1));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stopping = new AbortController();
  const { port: bound } = server.address() as AddressInfo;
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}`,
    requests: () => log.entries.filter(isStubRequest),
    entries: () => [...log.entries],
    request: async (fits) => await requestThat(log, fits, stopping.signal),
    stop: async () => {
      if (stopping.signal.aborted) return;
      stopping.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(stage: Stage, request: IncomingMessage, reply: Reply, next: () => number): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await answerRequest(stage, { n: next(), request, text: Buffer.concat(chunks).toString('utf8') }, reply);
  } catch (error) {
    // A client that went away while it was still sending is no fault.
    if (reply.gone.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    stage.log.add({ type: 'stub-error', path: request.url ?? '/', message });
    reply.fault(message);
  }
}

async function requestThat(log: RequestLog, fits: (request: StubRequest) => boolean, stopping: AbortSignal): Promise<StubRequest> {
  const known = log.entries.filter(isStubRequest).find(fits);
  if (known !== undefined) return known;
  const stopped = new Error('The stub server stopped before such a request came.');
  if (stopping.aborted) throw stopped;
  return await new Promise((resolve, reject) => {
    const silence = log.listen((entry) => {
      if (!isStubRequest(entry) || !fits(entry)) return;
      silence();
      resolve(entry);
    });
    stopping.addEventListener('abort', () => reject(stopped));
  });
}
