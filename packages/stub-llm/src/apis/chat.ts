import { recordOf, recordsOf, textOf, type JsonRecord } from '../json.js';
import type { Refusal } from '../scenario/scenario.js';
import type { Answer, Api, Conversation, Message, StreamEvent, WrittenAnswer, WrittenRefusal } from './api.js';
import { contentText } from './content.js';
import { duration } from './duration.js';
import { randomId } from './ids.js';
import { refuseLikeOpenai } from './openai-refusal.js';
import { pieces } from './pieces.js';
import { promptTokens } from './usage.js';

export const chatApi: Api = { name: 'chat', read, write, refuse };

function read(body: JsonRecord): Conversation {
  const messages = recordsOf(body['messages']);
  const isSystem = ({ role }: JsonRecord): boolean => role === 'system' || role === 'developer';
  const schema = recordOf(recordOf(body['response_format'])['json_schema'])['schema'];
  return {
    system: messages.filter(isSystem).map((message) => `${contentText(message['content'])}\n`).join(''),
    messages: messages.filter((message) => !isSystem(message)).map(readMessage),
    tools: recordsOf(body['tools']).map((tool) => {
      const offered = recordOf(tool['function']);
      return { name: textOf(offered['name']) ?? '', properties: recordOf(recordOf(offered['parameters'])['properties']) };
    }),
    ...(schema === undefined ? {} : { schema: recordOf(schema) }),
  };
}

function readMessage(message: JsonRecord): Message {
  const { role } = message;
  const id = textOf(message['tool_call_id']);
  return { role: role === 'assistant' || role === 'tool' ? role : 'user', text: contentText(message['content']), ...(id === undefined ? {} : { id }) };
}

function write({ text, calls, usage, model }: Answer): WrittenAnswer {
  const prompt = promptTokens(usage);
  const spent = {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cache_read },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
  const toolCalls = calls.map((call, index) => ({ index, id: `call_${call.id}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } }));
  const head = { id: `chatcmpl-${randomId(8)}`, created: Math.floor(Date.now() / 1_000), model };
  const finish = calls.length > 0 ? 'tool_calls' : 'stop';
  const chunk = (choices: readonly JsonRecord[], rest: JsonRecord = {}): StreamEvent => ({ data: { ...head, object: 'chat.completion.chunk', choices, ...rest } });
  const delta = (said: JsonRecord, reason: string | null = null): StreamEvent => chunk([{ index: 0, delta: said, finish_reason: reason }]);
  const message = { role: 'assistant', content: text === '' ? null : text, ...(calls.length > 0 ? { tool_calls: toolCalls } : {}) };
  return {
    whole: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage: spent },
    events: [
      delta({ role: 'assistant', content: '' }),
      ...pieces(text).map((piece) => delta({ content: piece })),
      ...toolCalls.map((call) => delta({ tool_calls: [call] })),
      delta({}, finish),
      chunk([], { usage: spent }),
      { data: '[DONE]' },
    ],
  };
}

function refuse(refusal: Refusal): WrittenRefusal {
  const { reset_in: resetIn } = refusal;
  if (resetIn === undefined) return refuseLikeOpenai(refusal);
  const message = refusal.message ?? `Rate limit reached for requests. Please try again in ${duration(resetIn)}.`;
  return {
    ...refuseLikeOpenai({ ...refusal, message }),
    headers: { 'x-ratelimit-limit-requests': '100', 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': duration(resetIn) },
  };
}
