import { parameters, type Dialect, type Heard } from './dialect.js';

export const anthropic: Dialect = {
  path: '/v1/messages?beta=true',
  body: ({ prompt, system, model = 'claude-x', tools = [], steps = [] }, stream) => ({
    model,
    max_tokens: 1_000,
    stream,
    ...(system === undefined ? {} : { system: [{ type: 'text', text: system }] }),
    messages: [
      { role: 'user', content: [{ type: 'text', text: '<system-reminder>\nToday is Monday.</system-reminder>' }, { type: 'text', text: prompt }] },
      ...steps.flatMap<object>((step) =>
        'call' in step
          ? [
              { role: 'assistant', content: [{ type: 'tool_use', ...step.call }] },
              { role: 'user', content: [{ type: 'tool_result', tool_use_id: step.call.id, content: [{ type: 'text', text: step.result }] }] },
            ]
          : [{ role: 'assistant', content: step.reply }, { role: 'user', content: step.prompt }]),
    ],
    tools: tools.map((name) => ({ name, input_schema: parameters })),
  }),
  whole: (body) => {
    const { content, stop_reason: end, usage } = body as Message;
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return { text, calls: content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [])), end, usage };
  },
  streamed: (events) => {
    let heard: Heard = { text: '', calls: [], end: undefined, usage: undefined };
    const calls: { id: string; name: string; json: string }[] = [];
    for (const { event, data } of events) {
      const { type, content_block: block, delta, usage } = data as Piece;
      if (type !== event) throw new Error(`an event ${event} of type ${type}`);
      if (event === 'content_block_start' && block?.type === 'tool_use') calls.push({ id: block.id, name: block.name, json: '' });
      if (event === 'content_block_delta') heard = { ...heard, text: heard.text + (delta?.text ?? '') };
      if (event === 'content_block_delta' && delta?.partial_json !== undefined) calls.at(-1)!.json += delta.partial_json;
      if (event === 'message_delta') heard = { ...heard, end: delta?.stop_reason, usage };
    }
    return { ...heard, calls: calls.map(({ id, name, json }) => ({ id, name, input: JSON.parse(json) as unknown })) };
  },
};

type Block = { readonly type: 'text'; readonly text: string } | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

interface Message {
  readonly content: readonly Block[];
  readonly stop_reason: string;
  readonly usage: unknown;
}

interface Piece {
  readonly type: string;
  readonly content_block?: Block;
  readonly delta?: { readonly text?: string; readonly partial_json?: string; readonly stop_reason?: string };
  readonly usage?: unknown;
}
