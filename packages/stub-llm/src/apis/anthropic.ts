import { recordOf, recordsOf, textOf, type JsonRecord } from '../json.js';
import type { Refusal } from '../scenario/scenario.js';
import type { Answer, Api, Conversation, Message, StreamEvent, ToolCall, WrittenAnswer, WrittenRefusal } from './api.js';
import { contentText } from './content.js';
import { randomId } from './ids.js';
import { pieces } from './pieces.js';

export const anthropicApi: Api = { name: 'anthropic', read, write, refuse };

function read(body: JsonRecord): Conversation {
  const messages = recordsOf(body['messages']);
  const system = [body['system'], ...messages.filter(isSystem).map((message) => message['content'])].map(contentText).join('\n');
  const schema = recordOf(recordOf(body['output_config'])['format'] ?? body['output_format'])['schema'];
  return {
    system,
    messages: messages.filter((message) => !isSystem(message)).flatMap(readMessage),
    tools: recordsOf(body['tools']).map((tool) => ({ name: textOf(tool['name']) ?? '', properties: recordOf(recordOf(tool['input_schema'])['properties']) })),
    ...(schema === undefined ? {} : { schema: recordOf(schema) }),
  };
}

function isSystem(message: JsonRecord): boolean {
  return message['role'] === 'system';
}

function readMessage(message: JsonRecord): readonly Message[] {
  const role = message['role'] === 'assistant' ? 'assistant' : 'user';
  const { content } = message;
  return typeof content === 'string' ? [{ role, text: content }] : recordsOf(content).flatMap((part) => readPart(role, part));
}

function readPart(role: 'user' | 'assistant', part: JsonRecord): readonly Message[] {
  switch (part['type']) {
    case 'tool_result':
      return [{ role: 'tool', id: textOf(part['tool_use_id']) ?? '', text: contentText(part['content']) }];
    case 'tool_use':
      return [{ role: 'assistant', id: textOf(part['id']) ?? '', text: '' }];
    case 'text':
      return [{ role, text: textOf(part['text']) ?? '' }];
    default:
      return [];
  }
}

function write({ text, calls, usage, model }: Answer): WrittenAnswer {
  const asked = { input_tokens: usage.input, cache_creation_input_tokens: usage.cache_write, cache_read_input_tokens: usage.cache_read };
  const spent = { ...asked, output_tokens: usage.output };
  const head = { id: `msg_${randomId(10)}`, type: 'message', role: 'assistant', model };
  const end = { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null };
  const blocks = [...(text === '' ? [] : [{ type: 'text', text }]), ...calls.map(toolUse)];
  return {
    whole: { ...head, content: blocks, ...end, usage: spent },
    events: [
      event('message_start', { message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage: { ...asked, output_tokens: 1 } } }),
      ...blocks.flatMap((block, index) => blockEvents(block, index)),
      event('message_delta', { delta: end, usage: spent }),
      event('message_stop', {}),
    ],
  };
}

function toolUse(call: ToolCall): ToolUseBlock {
  return { type: 'tool_use', id: `toolu_${call.id}`, name: call.name, input: call.input };
}

interface ToolUseBlock {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

function blockEvents(block: { readonly type: string; readonly text: string } | ToolUseBlock, index: number): readonly StreamEvent[] {
  const isText = 'text' in block;
  const start = isText ? { type: 'text', text: '' } : { ...block, input: {} };
  const deltas = isText
    ? pieces(block.text).map((text) => ({ type: 'text_delta', text }))
    : pieces(JSON.stringify(block.input)).map((json) => ({ type: 'input_json_delta', partial_json: json }));
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}

function event(name: string, data: JsonRecord): StreamEvent {
  return { name, data: { type: name, ...data } };
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

function refuse(refusal: Refusal, now: number): WrittenRefusal {
  const { status, reset_in: resetIn, message = `stub error ${status}` } = refusal;
  const body = { type: 'error', error: { type: refusal.type ?? TYPES[status] ?? 'api_error', message }, request_id: `req_${randomId()}` };
  return { body, ...(resetIn === undefined ? {} : { headers: limitHeaders(Math.ceil(now / 1_000 + resetIn)) }) };
}

/** How the limits of a subscription are told; `reset` is in seconds since the epoch. */
function limitHeaders(reset: number): Readonly<Record<string, string>> {
  const prefix = 'anthropic-ratelimit-unified';
  return {
    [`${prefix}-status`]: 'rejected',
    [`${prefix}-reset`]: String(reset),
    [`${prefix}-representative-claim`]: 'five_hour',
    [`${prefix}-5h-status`]: 'rejected',
    [`${prefix}-5h-reset`]: String(reset),
    [`${prefix}-5h-utilization`]: '1.0',
    [`${prefix}-overage-status`]: 'rejected',
    [`${prefix}-overage-disabled-reason`]: 'org_level_disabled',
  };
}
