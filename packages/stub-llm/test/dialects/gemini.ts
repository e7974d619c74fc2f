import { parameters, type Dialect, type Heard } from './dialect.js';

export const gemini: Dialect = {
  path: '/v1beta/models/gemini-x:generateContent',
  streamPath: '/v1beta/models/gemini-x:streamGenerateContent?alt=sse',
  body: ({ prompt, system, tools = [], steps = [] }) => ({
    ...(system === undefined ? {} : { systemInstruction: { role: 'user', parts: [{ text: system }] } }),
    contents: [
      { role: 'user', parts: [{ text: '<session_context>\nToday is Monday.\n</session_context>' }] },
      { role: 'user', parts: [{ text: prompt }] },
      ...steps.flatMap<object>((step) =>
        'call' in step
          ? [
              { role: 'model', parts: [{ functionCall: { id: step.call.id, name: step.call.name, args: step.call.input } }] },
              { role: 'user', parts: [{ functionResponse: { id: step.call.id, name: step.call.name, response: { output: step.result } } }] },
            ]
          : [{ role: 'model', parts: [{ text: step.reply }] }, { role: 'user', parts: [{ text: step.prompt }] }]),
    ],
    tools: [{ functionDeclarations: tools.map((name) => ({ name, parametersJsonSchema: parameters })) }],
  }),
  whole: (body) => heardIn([body as Chunk]),
  streamed: (events) => heardIn(events.map(({ data }) => data as Chunk)),
};

interface Chunk {
  readonly candidates: readonly [{ readonly content: { readonly parts: readonly Part[] }; readonly finishReason?: string }];
  readonly usageMetadata?: unknown;
}

interface Part {
  readonly text?: string;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: unknown };
}

function heardIn(chunks: readonly Chunk[]): Heard {
  const candidates = chunks.map(({ candidates: [candidate] }) => candidate);
  const parts = candidates.flatMap(({ content }) => content.parts);
  return {
    text: parts.map(({ text }) => text ?? '').join(''),
    calls: parts.flatMap(({ functionCall: call }) => (call === undefined ? [] : [{ id: call.id, name: call.name, input: call.args }])),
    end: candidates.at(-1)?.finishReason,
    usage: chunks.at(-1)?.usageMetadata,
  };
}
