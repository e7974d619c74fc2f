import type { IncomingMessage } from 'node:http';
import { apis } from '../apis/index.js';
import { isRecord, textOf, type JsonRecord } from '../json.js';
import type { Scenario, Turn } from '../scenario/scenario.js';
import type { TurnChooser } from '../turns/choose.js';
import { questionOf, type Question } from '../turns/prompt.js';
import { sampleOf } from '../turns/sample.js';
import type { RequestLog, StubResponse } from './log.js';
import { play } from './play.js';
import type { Reply } from './reply.js';
import { routeOf, type Route } from './route.js';

/** What all requests to one server have in common. */
export interface Stage {
  readonly scenario: Scenario;
  readonly chooser: TurnChooser;
  readonly log: RequestLog;
}

/** Request number `n`, with its body read. */
export interface Asked {
  readonly n: number;
  readonly request: IncomingMessage;
  readonly text: string;
}

export async function answerRequest(stage: Stage, asked: Asked, reply: Reply): Promise<void> {
  const { n, request, text } = asked;
  const { method = 'GET', url = '/', headers } = request;
  const { pathname } = new URL(url, 'http://127.0.0.1');
  const route = routeOf(pathname);
  const body = parsed(text);
  if (route.kind === 'gen' && method === 'POST' && isRecord(body)) return await generate(stage, asked, route, body, reply);
  stage.log.add({ type: 'request', n, method, path: url, kind: route.kind, api: 'api' in route ? route.api : null, headers, body });
  if (route.kind === 'count') reply.json(200, route.api === 'gemini' ? { totalTokens: 100 } : { input_tokens: 100 });
  else if (route.kind === 'models') reply.json(200, MODELS);
  else if (method === 'HEAD' || pathname === '/') reply.json(200, { ok: true });
  else if (route.kind === 'gen') reply.json(400, { error: { type: 'invalid_request_error', message: 'The body is no JSON object.' } });
  else reply.json(404, { error: { type: 'not_found_error', message: `no such path: ${pathname}` } });
}

const MODEL = { id: 'stub-model', object: 'model', type: 'model', display_name: 'Stub', created: 0, created_at: '2025-01-01T00:00:00Z', owned_by: 'stub' };
const MODELS = { object: 'list', data: [MODEL], has_more: false };

async function generate(stage: Stage, { n, request }: Asked, route: Extract<Route, { kind: 'gen' }>, body: JsonRecord, reply: Reply): Promise<void> {
  const api = apis[route.api];
  const question = questionOf(api.read(body), route.model ?? textOf(body['model']) ?? 'stub-model');
  const index = stage.chooser.choose(question, api.name);
  const turn = stage.scenario.turns?.[index] ?? unscripted(stage.scenario, question);
  const stream = route.stream ?? body['stream'] === true;
  stage.log.add({
    type: 'request',
    n,
    method: 'POST',
    path: request.url ?? '/',
    api: api.name,
    kind: 'gen',
    turn: index,
    side: question.side,
    model: question.model,
    stream,
    user: question.user,
    system: question.conversation.system,
    tools: question.conversation.tools.map(({ name }) => name),
    tool_results: question.results,
    headers: request.headers,
    body,
  });
  const ended = once((status: number, outcome: StubResponse['outcome'], ms: number) => stage.log.add({ type: 'response', n, turn: index, status, outcome, ms }));
  try {
    await play({ api, turn, index, question, stream, reply, ended });
  } catch (error) {
    ended(500, 'error');
    throw error;
  }
}

/** Reports the first end only, with the milliseconds until then. */
function once(report: (status: number, outcome: StubResponse['outcome'], ms: number) => void): (status: number, outcome: StubResponse['outcome']) => void {
  const started = performance.now();
  let reported = false;
  return (status, outcome) => {
    if (!reported) report(status, outcome, Math.round(performance.now() - started));
    reported = true;
  };
}

function unscripted({ side = 'ok', end = 'Done.' }: Scenario, { conversation, side: isSide }: Question): Turn {
  if (!isSide) return { text: end };
  return { text: conversation.schema === undefined ? side : JSON.stringify(sampleOf(conversation.schema)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
