import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { flow, type Ctx } from '@relayflows/surface';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/journal/memory.js';
import { createRuntime } from '../../src/run/create-runtime.js';
import type { Runtime } from '../../src/run/runtime.js';
import { planLlm } from '../../src/agents/llm-prompt.js';
import { folder, scriptedAgent, type Act } from './fixture.js';

const runtimes: Runtime[] = [];
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
});

async function ask(acts: readonly Act[], call: (f: Ctx, cli: string) => PromiseLike<unknown>) {
  const agent = scriptedAgent({ turns: [acts] });
  let value: unknown;
  let error: unknown;
  const runtime = createRuntime({
    journal: createMemoryJournal(), dataDir: join(folder(), 'data'),
    flows: {
      subject: {
        version: '1.0.0',
        flow: flow('subject', async (f) => {
          try {
            value = await call(f, agent.path);
          } catch (caught) {
            error = caught;
          }
          f.done('success');
        }),
      },
    },
  });
  runtimes.push(runtime);
  const report = await runtime.run('subject', { cwd: folder() }).result;
  return { value, error, report, calls: agent.log().filter(({ task }) => task !== undefined) };
}

const yesOrNo = { type: 'object', properties: { answer: { enum: ['yes', 'no'] } }, required: ['answer'] };

describe('f.llm', () => {
  it('takes a fenced reply apart, verifies it, and asks for the schema behind the prompt', async () => {
    const { value, calls, report } = await ask([{ result: { output: '```json\n{"answer": "yes"}\n```', usage: { input_tokens: 7, output_tokens: 3 } } }], (f, cli) => f.llm('Is it?', { output: yesOrNo, cli, model: 'm1' }));
    expect(value).toEqual({ answer: 'yes' });
    expect(calls[0]?.task).toMatch(/^Is it\?\n\n.*JSON Schema:\n\{"type":"object"/s);
    expect(calls[0]?.request).toMatchObject({ model: 'm1' });
    expect(report.spend.tokens).toBe(10);
  });

  it.each([
    ['prose', 'Yes!', /not JSON/],
    ['prose around JSON', 'Here: {"answer":"yes"}', /not JSON/],
    ['two fences', '```\n{"answer":"yes"}\n```\n```\n{}\n```', /not JSON/],
    ['another shape', '{"answer":"maybe"}', /\/answer must be equal to one of the allowed values/],
  ])('%s is verification_failed, once', async (_what, reply, message) => {
    const { error, calls, report } = await ask([{ say: reply }], (f, cli) => f.llm('Is it?', { output: yesOrNo, cli }));
    expect(error).toMatchObject({ code: 'verification_failed', message: expect.stringMatching(message), completionReason: 'verification_failed', evidence: { reply } });
    expect(calls).toHaveLength(1);
    expect(report.completionReason).toBe('step_failed');
  });

  it('survives a reply nested beyond reason', async () => {
    const tree = { type: 'array', items: { $ref: '#' } };
    const { error } = await ask([{ say: '['.repeat(200_000) + ']'.repeat(200_000) }], (f, cli) => f.llm('Is it?', { output: tree, cli }));
    expect(error).toMatchObject({ code: 'verification_failed' });
  });

  it('works in an empty directory of its own, which is gone afterwards', async () => {
    const { calls } = await ask([{ sh: '[ -z "$(ls -A)" ]' }, { say: '1' }], (f, cli) => f.llm('Is it?', { output: {}, cli }));
    expect(calls[0]?.cwd).toContain('relayflows-llm-');
    expect(existsSync(calls[0]?.cwd ?? '')).toBe(false);
  });

  it('retries a lost connection once', async () => {
    const { error, calls } = await ask([{ kill: 'SIGKILL' }], (f, cli) => f.llm('Is it?', { output: {}, cli }));
    expect(error).toMatchObject({ code: 'crashed' });
    expect(calls).toHaveLength(2);
  });
});

describe('planLlm', () => {
  const template = (strings: TemplateStringsArray, ...values: unknown[]) => planLlm(strings, values);

  it('puts a template together', () => {
    expect(template`a ${1} b ${'x'} ${null} ${{ k: [1] }} ${['p', 'q']} \n`.prompt).toBe('a 1 b x null {"k":[1]} p,q \n');
  });

  it('refuses a step or a promise in a template', () => {
    expect(() => template`a ${Promise.resolve(1)}`).toThrow(expect.objectContaining({ code: 'llm_cli_unresolved', hint: expect.stringContaining('Await') }));
  });

  it.each([
    ['blank template', Object.assign([' '], { raw: [' '] }), []],
    ['blank prompt', ' ', [{ output: {} }]],
    ['no options', 'x', []],
    ['no output', 'x', [{ cli: 'a' }]],
    ['output that is no object', 'x', [{ output: [] }]],
    ['another option', 'x', [{ output: {}, timeout: 5 }]],
    ['blank CLI', 'x', [{ output: {}, cli: ' ' }]],
    ['a schema that is none', 'x', [{ output: { type: 'nonsense' } }]],
    ['a schema without end', 'x', [{ output: { $ref: '#' } }]],
    ['no prompt', undefined, []],
  ])('refuses: %s', (_what, prompt, rest) => {
    expect(() => planLlm(prompt, rest)).toThrow(expect.objectContaining({ code: 'llm_cli_unresolved' }));
  });
});
