import { parameters, type Call, type Dialect } from './dialect.js';

export const chat: Dialect = {
  path: '/v1/chat/completions',
  body: ({ prompt, system, model = 'gpt-x', tools = [], steps = [] }, stream) => ({
    model,
    stream,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: prompt },
      ...steps.flatMap<object>((step) =>
        'call' in step
          ? [
              { role: 'assistant', content: null, tool_calls: [{ id: step.call.id, type: 'function', function: { name: step.call.name, arguments: JSON.stringify(step.call.input) } }] },
              { role: 'tool', tool_call_id: step.call.id, content: step.result },
            ]
          : [{ role: 'assistant', content: step.reply }, { role: 'user', content: step.prompt }]),
    ],
    tools: tools.map((name) => ({ type: 'function', function: { name, parameters } })),
  }),
  whole: (body) => {
    const { choices: [choice], usage } = body as Completion;
    return { text: choice?.message?.content ?? '', calls: (choice?.message?.tool_calls ?? []).map(called), end: choice?.finish_reason, usage };
  },
  streamed: (events) => {
    if (events.at(-1)?.data !== '[DONE]') throw new Error('the stream does not end with [DONE]');
    const chunks = events.slice(0, -1).map(({ data }) => data as Completion);
    const choices = chunks.flatMap((chunk) => chunk.choices);
    return {
      text: choices.map(({ delta }) => delta?.content ?? '').join(''),
      calls: choices.flatMap(({ delta }) => delta?.tool_calls ?? []).map(called),
      end: choices.map(({ finish_reason: reason }) => reason).findLast((reason) => reason !== null),
      usage: chunks.at(-1)?.usage,
    };
  },
};

interface Saying {
  readonly content?: string | null;
  readonly tool_calls?: readonly ToolCall[];
}

interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Completion {
  readonly choices: readonly { readonly message?: Saying; readonly delta?: Saying; readonly finish_reason: string | null }[];
  readonly usage?: unknown;
}

function called({ id, function: { name, arguments: input } }: ToolCall): Call {
  return { id, name, input: JSON.parse(input) as unknown };
}
