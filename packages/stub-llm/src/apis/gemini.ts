import { recordOf, recordsOf, textOf, type JsonRecord } from '../json.js';
import type { Refusal } from '../scenario/scenario.js';
import type { Answer, Api, Conversation, Message, StreamEvent, WrittenAnswer, WrittenRefusal } from './api.js';
import { contentText } from './content.js';
import { duration } from './duration.js';
import { randomId } from './ids.js';
import { pieces } from './pieces.js';
import { promptTokens } from './usage.js';

export const geminiApi: Api = { name: 'gemini', read, write, refuse };

function read(body: JsonRecord): Conversation {
  const wanted = recordOf(body['generationConfig']);
  const isJson = wanted['responseMimeType'] === 'application/json';
  return {
    system: contentText(recordOf(body['systemInstruction'])['parts']),
    messages: recordsOf(body['contents']).flatMap((content) => recordsOf(content['parts']).flatMap((part) => readPart(content['role'], part))),
    tools: recordsOf(body['tools'])
      .flatMap((tool) => recordsOf(tool['functionDeclarations']))
      .map((tool) => ({ name: textOf(tool['name']) ?? '', properties: recordOf(recordOf(tool['parametersJsonSchema'] ?? tool['parameters'])['properties']) })),
    ...(isJson ? { schema: recordOf(wanted['responseJsonSchema'] ?? wanted['responseSchema']) } : {}),
  };
}

function readPart(role: unknown, part: JsonRecord): readonly Message[] {
  const { functionResponse: result, functionCall: call, text } = part;
  if (result !== undefined) return [{ role: 'tool', id: textOf(recordOf(result)['id']) ?? '', text: JSON.stringify(recordOf(result)['response'] ?? null) }];
  if (call !== undefined) return [{ role: 'assistant', id: textOf(recordOf(call)['id']) ?? '', text: '' }];
  if (typeof text !== 'string' || part['thought'] === true) return [];
  return [{ role: role === 'model' ? 'assistant' : 'user', text }];
}

function write({ text, calls, usage, model }: Answer): WrittenAnswer {
  const prompt = promptTokens(usage);
  const usageMetadata = {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output,
    cachedContentTokenCount: usage.cache_read,
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: prompt + usage.output + usage.reasoning,
  };
  const asked = calls.map((call) => ({ functionCall: { id: `call_${call.id}`, name: call.name, args: call.input } }));
  const head = { modelVersion: model, responseId: randomId() };
  const chunk = (parts: readonly JsonRecord[]): JsonRecord => ({ candidates: [{ index: 0, content: { role: 'model', parts } }], ...head });
  const last = (parts: readonly JsonRecord[]): JsonRecord => ({ candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }], usageMetadata, ...head });
  return {
    whole: last([...(text === '' ? [] : [{ text }]), ...asked]),
    events: [...pieces(text).map((piece): StreamEvent => ({ data: chunk([{ text: piece }]) })), { data: last(asked.length > 0 ? asked : [{ text: '' }]) }],
  };
}

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function refuse(refusal: Refusal, now: number): WrittenRefusal {
  const { status, reset_in: resetIn, retry_after: retryAfter } = refusal;
  const wait = resetIn ?? retryAfter;
  const limit = `You have exhausted your capacity on this model. Your quota will reset after ${duration(resetIn ?? 0)}.`;
  const message = refusal.message ?? (resetIn === undefined ? `stub error ${status}` : limit);
  const details = [
    ...(resetIn === undefined ? [] : [quotaExhausted(resetIn, now)]),
    ...(wait === undefined ? [] : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${wait}s` }]),
  ];
  return { body: { error: { code: status, message, status: refusal.code ?? STATUSES[status] ?? 'UNKNOWN', details } } };
}

/**
 * The limit of an account, which the CLI does not repeat. The quota of a key for a day (`QuotaFailure` with a quota `…PerDay…`) does without a time: the
 * CLI then says only that it is exhausted.
 */
function quotaExhausted(resetIn: number, now: number): JsonRecord {
  const metadata = { uiMessage: 'true', quotaResetDelay: `${resetIn}s`, quotaResetTimeStamp: new Date(now + resetIn * 1_000).toISOString() };
  return { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'QUOTA_EXHAUSTED', domain: 'cloudcode-pa.googleapis.com', metadata };
}
