import { onTestFinished } from 'vitest';
import { startStub, type ApiName, type Scenario, type StubServer } from '../src/index.js';
import { anthropic } from './dialects/anthropic.js';
import { chat } from './dialects/chat.js';
import type { Dialect, Event, Heard, Said } from './dialects/dialect.js';
import { gemini } from './dialects/gemini.js';
import { responses } from './dialects/responses.js';

/** A server that lives as long as the test. */
export async function stubFor(...turns: NonNullable<Scenario['turns']>): Promise<StubServer> {
  const stub = await startStub({ scenario: { turns } });
  onTestFinished(async () => await stub.stop());
  return stub;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export async function post(stub: StubServer, path: string, body: unknown): Promise<Answered> {
  const response = await fetch(`${stub.url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The events of a stream. Data that is not JSON stays a text. */
export function eventsOf(text: string): readonly Event[] {
  return text.split('\n\n').filter((block) => block !== '').map((block) => {
    const event = /^event: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1] ?? '';
    return { ...(event === undefined ? {} : { event }), data: data.startsWith('{') ? (JSON.parse(data) as unknown) : data };
  });
}

export const DIALECTS: Readonly<Record<ApiName, Dialect>> = { anthropic, responses, chat, gemini };

/** Asks, and puts the answer together as a client of this API does. */
export async function ask(stub: StubServer, api: ApiName, said: Said, stream = false): Promise<Heard> {
  const { path, streamPath, body, whole, streamed } = DIALECTS[api];
  const answered = await post(stub, stream ? (streamPath ?? path) : path, body(said, stream));
  if (answered.status !== 200) throw new Error(`${answered.status} ${answered.text}`);
  const type = answered.headers.get('content-type');
  if (type !== (stream ? 'text/event-stream' : 'application/json')) throw new Error(`an answer of type ${type}`);
  return stream ? streamed(eventsOf(answered.text)) : whole(JSON.parse(answered.text));
}
