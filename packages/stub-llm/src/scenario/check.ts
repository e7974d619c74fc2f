import { isRecord, listOf, type JsonRecord } from '../json.js';
import { API_NAMES, type Scenario } from './scenario.js';
import { anything, either, flag, listOfEach, mapOfEach, object, oneOf, seconds, text, whole } from './shape.js';

/** Everything that is wrong with a scenario. */
export class ScenarioError extends Error {
  readonly problems: readonly string[];

  constructor(origin: string, problems: readonly string[]) {
    super([`${origin} is no scenario:`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'ScenarioError';
    this.problems = problems;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const texts = either('a text or a list of texts', { when: isText, then: text }, { when: Array.isArray, then: listOfEach(text) });

const repeated = object({ repeat: text, times: whole(1) }, 'repeat', 'times');
const saidText = either('a text or { repeat, times }', { when: isText, then: text }, { when: isRecord, then: repeated });

const write = object({ path: text, content: text, via: oneOf('shell') }, 'path', 'content');
const has = (key: string) => (value: unknown): boolean => isRecord(value) && value[key] !== undefined;
const tool = either(
  'a tool: { shell }, { write } or { tool, input }',
  { when: has('shell'), then: object({ shell: text }) },
  { when: has('write'), then: object({ write }) },
  { when: has('tool'), then: object({ tool: text, input: anything }) },
);
const tools = either('a tool or a list of tools', { when: Array.isArray, then: listOfEach(tool) }, { when: isRecord, then: tool });

const tokens = whole(0);
const turn = object({
  note: text,
  match: object({ user: texts, system: texts, history: texts, model: texts, api: oneOf(...API_NAMES), side: flag }),
  times: whole(1),
  text: saidText,
  tools,
  usage: object({ input: tokens, output: tokens, cache_read: tokens, cache_write: tokens, reasoning: tokens }),
  delay_ms: whole(0),
  drop: oneOf('before', 'mid', 'silent'),
  malformed: flag,
  error: object(
    { status: whole(400, 599), message: text, type: text, code: text, retry_after: seconds, reset_in: seconds, headers: mapOfEach(text) },
    'status',
  ),
  raw: object({ body: text, status: whole(200, 599), type: text }, 'body'),
});
const scenario = object({ note: text, turns: listOfEach(turn), end: text, side: text });

/** What may stand beside a refusal or a raw answer. */
const BESIDE = new Set(['note', 'match', 'times', 'delay_ms']);

/** The value itself, when it is a scenario. Throws a `ScenarioError` with every problem; `origin` begins its message. */
export function checkScenario(value: unknown, origin: string): Scenario {
  const problems = [...scenario(value, 'scenario'), ...turnsOf(value).flatMap(contradictions)];
  if (problems.length > 0) throw new ScenarioError(origin, problems.map((problem) => problem.replace(/^scenario\./, '')));
  return value as Scenario;
}

function turnsOf(value: unknown): readonly unknown[] {
  return isRecord(value) ? listOf(value['turns']) : [];
}

function contradictions(value: unknown, index: number): readonly string[] {
  if (!isRecord(value)) return [];
  return [alone(value, 'error', index), alone(value, 'raw', index), both(value, index)].flat();
}

function alone(value: JsonRecord, key: 'error' | 'raw', index: number): readonly string[] {
  if (value[key] === undefined) return [];
  const others = Object.keys(value).filter((other) => other !== key && value[other] !== undefined && !BESIDE.has(other));
  return others.map((other) => `turns[${index}].${key} cannot stand beside "${other}".`);
}

function both(value: JsonRecord, index: number): readonly string[] {
  return value['drop'] !== undefined && value['malformed'] === true ? [`turns[${index}] is either dropped or malformed, not both.`] : [];
}

