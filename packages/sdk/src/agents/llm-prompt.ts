import type { LlmOptions } from '@relayflows/surface';
import { FlowsError } from '../errors/flows-error.js';
import type { JsonValue } from '../ports/json.js';
import { compileSchema, type SchemaCheck } from './json-schema.js';
import { ended } from './sentence.js';

/** A call of `f.llm`, checked. */
export interface LlmPlan {
  readonly prompt: string;
  readonly cli: string | undefined;
  readonly model: string | undefined;
  /** Present in the call form: the shape of the reply. */
  readonly output?: { readonly schema: { readonly [key: string]: JsonValue }; readonly check: SchemaCheck };
}

const OPTIONS = ['output', 'cli', 'model'];

/** Checks a call of `f.llm`, template or function. Throws `llm_cli_unresolved`. */
export function planLlm(prompt: unknown, rest: readonly unknown[]): LlmPlan {
  if (isTemplate(prompt)) {
    const text = prompt.reduce((whole, part, index) => whole + part + (index < rest.length ? interpolated(rest[index], index) : ''), '');
    if (text.trim() === '') throw refusal('the prompt is blank', 'Write the question between the backticks.');
    return { prompt: text, cli: undefined, model: undefined };
  }
  if (typeof prompt !== 'string' || prompt.trim() === '') throw refusal('the prompt is blank or no text', 'Call it as f.llm`…`, or as f.llm("…", { output: schema }).');
  const options = rest[0];
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw refusal('a prompt in parentheses needs an output schema', 'Write f.llm`…` for text, or f.llm("…", { output: schema }) for JSON.');
  }
  const unknown = Object.keys(options).filter((key) => !OPTIONS.includes(key));
  if (unknown.length > 0) throw refusal(`unknown ${unknown.length === 1 ? 'option' : 'options'} ${unknown.join(', ')}`, `Known options: ${OPTIONS.join(', ')}.`);
  const { output, cli, model } = options as { readonly [K in keyof LlmOptions]?: unknown };
  if (typeof output !== 'object' || output === null || Array.isArray(output)) throw refusal('output is no JSON Schema', 'Give an object such as { type: "object", properties: { … } }.');
  for (const [name, value] of Object.entries({ cli, model })) {
    if (value !== undefined && (typeof value !== 'string' || value.trim() === '')) throw refusal(`${name} is blank or no text`, `Leave ${name} out, or name one.`);
  }
  const schema = plainJson(output);
  return { prompt, cli: (cli as string | undefined)?.trim(), model: model as string | undefined, output: { schema, check: compileSchema(schema) } };
}

function refusal(what: string, hint: string): FlowsError {
  return new FlowsError('llm_cli_unresolved', `f.llm: ${ended(what)}`, { hint });
}

function isTemplate(value: unknown): value is TemplateStringsArray {
  return Array.isArray(value) && Array.isArray((value as { readonly raw?: unknown }).raw);
}

function interpolated(value: unknown, index: number): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('then' in value && typeof value.then === 'function') {
    throw refusal(`value ${index + 1} in the template is a step or a promise`, 'Await it first, and interpolate its value.');
  }
  // A plain object as JSON: as a text it would say nothing but "[object Object]".
  return Object.getPrototypeOf(value) === Object.prototype ? JSON.stringify(value) : (value as { toString(): string }).toString();
}

function plainJson(schema: object): { readonly [key: string]: JsonValue } {
  try {
    return JSON.parse(JSON.stringify(schema)) as { readonly [key: string]: JsonValue };
  } catch (error) {
    throw refusal(`output is no JSON: ${error instanceof Error ? error.message : String(error)}`, 'A schema is plain data without cycles; refer to a part of it with $ref.');
  }
}
