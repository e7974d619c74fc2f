import type { Answer, Api, StreamEvent, WrittenAnswer } from '../apis/api.js';
import { usageOf } from '../apis/usage.js';
import type { Refusal, RepeatedText, ToolUse, Turn } from '../scenario/scenario.js';
import type { Question } from '../turns/prompt.js';
import { toolCall } from '../turns/tools.js';
import type { StubResponse } from './log.js';
import type { Reply } from './reply.js';

/** One turn, to be given as the answer to one request. */
export interface Play {
  readonly api: Api;
  readonly turn: Turn;
  /** Its index, for the ids of tool calls. */
  readonly index: number;
  readonly question: Question;
  readonly stream: boolean;
  readonly reply: Reply;
  /** Called once, before the last byte is sent. */
  readonly ended: (status: number, outcome: StubResponse['outcome']) => void;
}

export async function play(given: Play): Promise<void> {
  const { turn, api, reply, ended } = given;
  reply.gone.addEventListener('abort', () => ended(0, 'client-closed'));
  if (turn.delay_ms !== undefined) await reply.wait(turn.delay_ms);
  if (reply.gone.aborted) return;
  if (turn.error !== undefined) {
    ended(turn.error.status, 'error');
    refuse(api, turn.error, reply);
  } else if (turn.raw !== undefined) {
    const { status = 200, type = given.stream ? 'text/event-stream' : 'application/json', body } = turn.raw;
    ended(status, status < 400 ? 'done' : 'error');
    reply.text(status, type, body);
  } else if (turn.drop === 'before' || (turn.drop === 'mid' && !given.stream)) {
    ended(0, 'dropped');
    await reply.drop();
  } else {
    await answer(given, api.write(answerOf(given)));
  }
}

function refuse(api: Api, refusal: Refusal, reply: Reply): void {
  const { body, headers } = api.refuse(refusal, Date.now());
  const wait = refusal.retry_after;
  reply.json(refusal.status, body, { ...(wait === undefined ? {} : { 'retry-after': String(wait) }), ...headers, ...refusal.headers });
}

function answerOf({ turn, index, question }: Play): Answer {
  return {
    text: spokenText(turn.text),
    calls: toolsOf(turn.tools).map((use) => toolCall(use, question.conversation.tools, index)),
    usage: usageOf(turn.usage),
    model: question.model,
  };
}

function spokenText(text: string | RepeatedText = ''): string {
  return typeof text === 'string' ? text : text.repeat.repeat(text.times);
}

function toolsOf(tools: ToolUse | readonly ToolUse[] = []): readonly ToolUse[] {
  return 'length' in tools ? tools : [tools];
}

async function answer({ turn, stream, reply, ended }: Play, written: WrittenAnswer): Promise<void> {
  if (!stream) {
    ended(200, turn.drop === 'silent' ? 'silent' : 'done');
    if (turn.drop === undefined) reply.text(200, 'application/json', turn.malformed === true ? cut(written.whole) : JSON.stringify(written.whole));
    return;
  }
  const middle = Math.ceil(written.events.length / 2);
  if (turn.drop === undefined) {
    await reply.stream(turn.malformed === true ? written.events.map((event, index) => (index === middle ? cutEvent(event) : event)) : written.events);
    ended(200, 'done');
    reply.end();
    return;
  }
  await reply.stream(written.events.slice(0, middle));
  ended(200, turn.drop === 'mid' ? 'dropped' : 'silent');
  if (turn.drop === 'mid') await reply.drop();
}

function cutEvent({ name, data }: StreamEvent): StreamEvent {
  return { ...(name === undefined ? {} : { name }), data: cut(data) };
}

/** The first half of a JSON text. */
function cut(value: unknown): string {
  const json = JSON.stringify(value);
  return json.slice(0, Math.ceil(json.length / 2));
}
