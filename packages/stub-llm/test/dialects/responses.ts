import { parameters, type Call, type Dialect, type Heard } from './dialect.js';

export const responses: Dialect = {
  path: '/v1/responses',
  body: ({ prompt, system = '', model = 'gpt-x', tools = [], steps = [] }, stream) => ({
    model,
    stream,
    instructions: system,
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: '# AGENTS.md instructions for here\n\n<INSTRUCTIONS>x</INSTRUCTIONS>' }, { type: 'input_text', text: '<environment_context>x</environment_context>' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] },
      ...steps.flatMap<object>((step) =>
        'call' in step
          ? [
              { type: 'function_call', call_id: step.call.id, name: step.call.name, arguments: JSON.stringify(step.call.input) },
              { type: 'function_call_output', call_id: step.call.id, output: step.result },
            ]
          : [
              { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: step.reply }] },
              { type: 'message', role: 'user', content: [{ type: 'input_text', text: step.prompt }] },
            ]),
    ],
    tools: tools.map((name) => ({ type: 'function', name, parameters })),
  }),
  whole: (body) => heardIn(body as Response),
  streamed: (events) => {
    const numbered = events.map(({ event, data }) => ({ event, ...(data as Numbered) }));
    if (numbered.some(({ event, type, sequence_number: number }, index) => type !== event || number !== index)) throw new Error('events are not numbered');
    const last = numbered.at(-1);
    if (last?.response === undefined || last.type !== 'response.completed') throw new Error('the stream does not complete');
    const heard = heardIn(last.response);
    const deltas = (kind: string): string => numbered.map(({ type, delta = '' }) => (type === `response.${kind}.delta` ? delta : '')).join('');
    const inputs = heard.calls.map(({ input }) => (typeof input === 'string' ? input : JSON.stringify(input))).join('');
    if (deltas('output_text') !== heard.text) throw new Error('the pieces of the text are not the text');
    if (deltas('function_call_arguments') + deltas('custom_tool_call_input') !== inputs) throw new Error('the pieces of the calls are not the calls');
    return heard;
  },
};

type Item =
  | { readonly type: 'message'; readonly content: readonly { readonly text: string }[] }
  | { readonly type: 'function_call'; readonly call_id: string; readonly name: string; readonly arguments: string }
  | { readonly type: 'custom_tool_call'; readonly call_id: string; readonly name: string; readonly input: string };

interface Response {
  readonly status: string;
  readonly output: readonly Item[];
  readonly usage: unknown;
}

interface Numbered {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta?: string;
  readonly response?: Response;
}

function heardIn({ output, status, usage }: Response): Heard {
  const text = output.flatMap((item) => (item.type === 'message' ? item.content.map((part) => part.text) : [])).join('');
  const calls = output.flatMap((item): Call[] => {
    if (item.type === 'message') return [];
    return [{ id: item.call_id, name: item.name, input: item.type === 'custom_tool_call' ? item.input : (JSON.parse(item.arguments) as unknown) }];
  });
  return { text, calls, end: status, usage };
}
