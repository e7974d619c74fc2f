import { listOf, recordOf, recordsOf, textOf, type JsonRecord } from '../json.js';
import type { Refusal } from '../scenario/scenario.js';
import type { Answer, Api, Conversation, Message, OfferedTool, StreamEvent, ToolCall, WrittenAnswer, WrittenRefusal } from './api.js';
import { contentText } from './content.js';
import { randomId } from './ids.js';
import { refuseLikeOpenai } from './openai-refusal.js';
import { pieces } from './pieces.js';
import { promptTokens } from './usage.js';

export const responsesApi: Api = { name: 'responses', read, write, refuse };

function read(body: JsonRecord): Conversation {
  const input = typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : recordsOf(body['input']);
  const isSystem = ({ role }: JsonRecord): boolean => role === 'system' || role === 'developer';
  const schema = recordOf(recordOf(body['text'])['format'])['schema'];
  return {
    system: [textOf(body['instructions']) ?? '', ...input.filter(isSystem).map((item) => contentText(item['content']))].join('\n'),
    messages: input.filter((item) => !isSystem(item)).flatMap(readItem),
    // Codex lists the tools of its newer models inside the input.
    tools: [...readTools(body['tools']), ...input.filter((item) => item['type'] === 'additional_tools').flatMap((item) => readTools(item['tools']))],
    ...(schema === undefined ? {} : { schema: recordOf(schema) }),
  };
}

function readItem(item: JsonRecord): readonly Message[] {
  const type = textOf(item['type']) ?? '';
  const id = textOf(item['call_id']) ?? '';
  if (type.endsWith('_output')) return [{ role: 'tool', id, text: contentText(item['output']) }];
  if (type.endsWith('_call')) return [{ role: 'assistant', id, text: '' }];
  const { role, content } = item;
  // Each part is a message of its own: codex puts its context and the prompt beside each other.
  if (role === 'user') return (typeof content === 'string' ? [content] : listOf(content)).map((part) => ({ role, text: contentText(part) }));
  return role === 'assistant' ? [{ role, text: contentText(content) }] : [];
}

function readTools(tools: unknown, namespace?: string): readonly OfferedTool[] {
  return recordsOf(tools).flatMap((tool) => {
    const name = textOf(tool['name']) ?? textOf(tool['type']) ?? '';
    if (tool['type'] === 'namespace') return readTools(tool['tools'], name);
    const properties = recordOf(recordOf(tool['parameters'])['properties']);
    return [{ name, custom: tool['type'] === 'custom', properties, ...(namespace === undefined ? {} : { namespace }) }];
  });
}

/** An item of an answer, with the part that is streamed in pieces. */
type Item = { readonly id: string; readonly type: string } & JsonRecord;

function write({ text, calls, usage, model }: Answer): WrittenAnswer {
  const prompt = promptTokens(usage);
  const spent = {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: usage.cache_read },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: prompt + usage.output,
  };
  const items = [...(text === '' ? [] : [messageItem(text)]), ...calls.map(callItem)];
  const head = { id: `resp_${randomId(10)}`, object: 'response', created_at: Math.floor(Date.now() / 1_000), model, error: null };
  const whole = { ...head, status: 'completed', output: items.map(({ item }) => item), usage: spent };
  const events = [
    ['response.created', { response: { ...head, status: 'in_progress', output: [] } }] as const,
    ...items.flatMap(({ item, streamed }, index) => [
      ['response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', ...(item.type === 'message' ? { content: [] } : { [streamed.field]: '' }) } }] as const,
      ...partEvents(item, streamed, index),
      ['response.output_item.done', { output_index: index, item }] as const,
    ]),
    ['response.completed', { response: whole }] as const,
  ];
  return { whole, events: events.map(([type, data], number): StreamEvent => ({ name: type, data: { type, sequence_number: number, ...data } })) };
}

interface Streamed {
  readonly field: 'text' | 'arguments' | 'input';
  readonly event: 'output_text' | 'function_call_arguments' | 'custom_tool_call_input';
  readonly value: string;
}

function messageItem(text: string): { readonly item: Item; readonly streamed: Streamed } {
  const item = { type: 'message', id: `msg_${randomId()}`, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] };
  return { item, streamed: { field: 'text', event: 'output_text', value: text } };
}

function callItem(call: ToolCall): { readonly item: Item; readonly streamed: Streamed } {
  const head = { status: 'completed', call_id: `call_${call.id}`, name: call.name, ...(call.namespace === undefined ? {} : { namespace: call.namespace }) };
  if (call.custom) {
    const value = String(call.input);
    return { item: { ...head, id: `ctc_${randomId()}`, type: 'custom_tool_call', input: value }, streamed: { field: 'input', event: 'custom_tool_call_input', value } };
  }
  const value = JSON.stringify(call.input);
  return { item: { ...head, id: `fc_${randomId()}`, type: 'function_call', arguments: value }, streamed: { field: 'arguments', event: 'function_call_arguments', value } };
}

function partEvents(item: Item, { field, event, value }: Streamed, index: number): readonly (readonly [string, JsonRecord])[] {
  const at = { item_id: item.id, output_index: index, ...(field === 'text' ? { content_index: 0 } : {}) };
  const part = { type: 'output_text', text: '', annotations: [] };
  return [
    ...(field === 'text' ? [['response.content_part.added', { ...at, part }] as const] : []),
    ...pieces(value).map((delta) => [`response.${event}.delta`, { ...at, delta }] as const),
    [`response.${event}.done`, { ...at, [field]: value }] as const,
    ...(field === 'text' ? [['response.content_part.done', { ...at, part: { ...part, text: value } }] as const] : []),
  ];
}

/** The limit of a plan, as the service behind a ChatGPT account tells it: codex makes its message from the fields, not from the text. */
function refuse(refusal: Refusal, now: number): WrittenRefusal {
  const { reset_in: resetIn } = refusal;
  if (resetIn === undefined) return refuseLikeOpenai(refusal);
  const seconds = Math.ceil(resetIn);
  return {
    body: {
      error: {
        type: refusal.type ?? 'usage_limit_reached',
        message: refusal.message ?? 'The usage limit has been reached',
        plan_type: 'plus',
        resets_at: Math.ceil(now / 1_000) + seconds,
        resets_in_seconds: seconds,
      },
    },
    headers: { 'x-codex-primary-used-percent': '100', 'x-codex-primary-window-minutes': '300', 'x-codex-primary-reset-after-seconds': String(seconds) },
  };
}
