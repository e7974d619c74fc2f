import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkScenario, readScenario, ScenarioError, SHIPPED_SCENARIOS, shippedScenario } from '../src/index.js';

function problemsOf(value: unknown): readonly string[] {
  try {
    checkScenario(value, 'x');
    return [];
  } catch (error) {
    return error instanceof ScenarioError ? error.problems : [String(error)];
  }
}

const turn = (value: unknown): unknown => ({ turns: [value] });

describe('a scenario', () => {
  it.each([
    {},
    { note: 'nothing', turns: [], end: 'Over.', side: 'Aside.' },
    turn({ match: { user: ['a', 'b'], system: 's', history: 'h', model: 'm', api: 'chat', side: true }, times: 2, text: 'Yes.', delay_ms: 10, usage: { input: 1 } }),
    turn({ text: { repeat: 'x', times: 1_000 }, tools: [{ shell: 'ls' }, { write: { path: 'a', content: '', via: 'shell' } }, { tool: 'Any', input: [1] }, { tool: 'Bare' }] }),
    turn({ tools: { shell: 'ls' }, drop: 'mid' }),
    turn({ text: 'x', malformed: true }),
    turn({ times: 1, delay_ms: 5, error: { status: 429, message: 'm', type: 't', code: 'c', retry_after: 0.5, reset_in: 60, headers: { a: 'b' } } }),
    turn({ raw: { body: '', status: 502, type: 'text/html' } }),
  ])('may be %j', (value) => expect(problemsOf(value)).toEqual([]));

  it.each<[string, unknown, string]>([
    ['is an object', [], 'scenario must be an object, not [].'],
    ['has turns in a list', { turns: {} }, 'turns must be a list, not {}.'],
    ['has no other key', { turn: [] }, 'scenario has the unknown key "turn"; it may have note, turns, end, side.'],
    ['has turns that are objects', turn('Hi.'), 'turns[0] must be an object, not "Hi.".'],
    ['has a turn with a wrong key', turn({ says: 'x' }), 'turns[0] has the unknown key "says"; it may have note, match, times, text, tools, usage, delay_ms, drop, malformed, error, raw.'],
    ['says a text', turn({ text: 7 }), 'turns[0].text must be a text or { repeat, times }, not 7.'],
    ['repeats a number of times', turn({ text: { repeat: 'x' } }), 'turns[0].text must have "times".'],
    ['uses a tool', turn({ tools: [{ run: 'ls' }] }), 'turns[0].tools[0] must be a tool: { shell }, { write } or { tool, input }, not {"run":"ls"}.'],
    ['runs a text', turn({ tools: { shell: ['ls'] } }), 'turns[0].tools.shell must be a text, not ["ls"].'],
    ['writes to a path', turn({ tools: { write: { content: 'x' } } }), 'turns[0].tools.write must have "path".'],
    ['is served at least once', turn({ times: 0 }), 'turns[0].times must be a whole number from 1, not 0.'],
    ['knows three ways to drop', turn({ drop: 'after' }), 'turns[0].drop must be one of before, mid, silent, not "after".'],
    ['matches texts', turn({ match: { user: ['a', 1] } }), 'turns[0].match.user[1] must be a text, not 1.'],
    ['matches an API it knows', turn({ match: { api: 'openai' } }), 'turns[0].match.api must be one of anthropic, responses, chat, gemini, not "openai".'],
    ['refuses with a status', turn({ error: {} }), 'turns[0].error must have "status".'],
    ['refuses with a status of errors', turn({ error: { status: '429' } }), 'turns[0].error.status must be a whole number from 400 to 599, not "429".'],
    ['sends headers that are texts', turn({ error: { status: 400, headers: { a: 1 } } }), 'turns[0].error.headers.a must be a text, not 1.'],
    ['refuses or answers', turn({ error: { status: 400 }, text: 'x' }), 'turns[0].error cannot stand beside "text".'],
    ['is raw or answers', turn({ raw: { body: '' }, tools: [] }), 'turns[0].raw cannot stand beside "tools".'],
    ['is dropped or malformed', turn({ drop: 'mid', malformed: true }), 'turns[0] is either dropped or malformed, not both.'],
  ])('%s', (_, value, problem) => expect(problemsOf(value)).toEqual([problem]));

  it('is told everything that is wrong with it', () => {
    const error = (): unknown => checkScenario({ end: 1, turns: [{ text: 'x' }, { times: -1, delay_ms: 'soon' }] }, 'mine.json');
    expect(error).toThrow(new ScenarioError('mine.json', [
      'turns[1].times must be a whole number from 1, not -1.',
      'turns[1].delay_ms must be a whole number from 0, not "soon".',
      'end must be a text, not 1.',
    ]));
  });

  it('comes from a file, which an error names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stub-scenario-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    expect(readScenario(file('good.json', '{"turns":[{"text":"x"}]}'))).toEqual({ turns: [{ text: 'x' }] });
    expect(() => readScenario(file('bad.json', '{'))).toThrow(/bad\.json is not JSON: /);
    expect(() => readScenario(file('wrong.json', '{"x":1}'))).toThrow(/wrong\.json is no scenario:\n {2}scenario has the unknown key "x"/);
  });

  it.each(SHIPPED_SCENARIOS)('%s is shipped', (name) => expect(shippedScenario(name).turns?.length).toBeGreaterThan(0));
});
