/** Checked by the compiler: what a flow author may write, and what is refused while typing. Nothing here runs. */
import { expectTypeOf, it } from 'vitest';
import { flow, type AgentResult, type Ctx, type DispatchResult, type FlowHandle, type Issue, matchesIssue, type RunOptions, type RunResult, type Step } from '@relayflows/surface';

declare module '@relayflows/surface' {
  interface Ctx {
    /** A verb that an extension adds; optional, since not every host has it. */
    weather?(city: string): Step<number>;
  }
}

declare const f: Ctx;
declare const unknownOptions: RunOptions;

/** Types only: the compiler reads the function, nobody calls it. */
const typed = (name: string, _check: () => unknown): void => it(name, () => {});

typed('the last overload of flow gives the context', () => {
  type Body = Parameters<typeof flow<unknown>>[2];
  type Context = Parameters<Body>[0];
  expectTypeOf<Context>().toEqualTypeOf<Ctx>();
  expectTypeOf<Parameters<typeof flow<{ n: number }>>[2]>().parameter(1).toEqualTypeOf<{ n: number }>();
});

typed('a body may be given with or without a header', () => {
  expectTypeOf(flow('a', async (g, input) => { expectTypeOf(g).toEqualTypeOf<Ctx>(); expectTypeOf(input).toEqualTypeOf<unknown>(); })).toEqualTypeOf<FlowHandle>();
  expectTypeOf(flow<{ issue: string }>('a', { budget: '$1/run' }, async (_, input) => { expectTypeOf(input.issue).toEqualTypeOf<string>(); })).toEqualTypeOf<FlowHandle>();
  expectTypeOf(flow('a', { use: [] })).toEqualTypeOf<FlowHandle>();
  // @ts-expect-error a header has no such member
  flow('a', { agnets: {} }, async () => {});
  // @ts-expect-error a body is asynchronous
  flow('a', () => 3);
  // @ts-expect-error an agent has both fields
  flow('a', { agents: { x: { cli: 'claude' } } }, async () => {});
});

typed('run gives text, or a result when the status is recorded', () => {
  expectTypeOf(f.run('true')).toEqualTypeOf<Step<string>>();
  expectTypeOf(f.run('true', {})).toEqualTypeOf<Step<string>>();
  expectTypeOf(f.run('true', { onNonZero: 'fail', timeout: '1m', env: { A: '1' }, retry: { attempts: 3 }, secrets: 'scrub', onCrash: 'park' })).toEqualTypeOf<Step<string>>();
  expectTypeOf(f.run('true', { onNonZero: 'record', onTimeout: 'record' })).toEqualTypeOf<Step<RunResult>>();
  expectTypeOf(f.run('true', unknownOptions)).toEqualTypeOf<Step<string | RunResult>>();
  // @ts-expect-error no such value
  f.run('true', { onNonZero: 'ignore' });
  // @ts-expect-error variables are text
  f.run('true', { env: { PORT: 80 } });
});

typed('a step is awaited like a promise, and is not one', async () => {
  expectTypeOf(await f.run('true')).toEqualTypeOf<string>();
  expectTypeOf(await Promise.all([f.run('true'), f.now()])).toEqualTypeOf<[string, number]>();
  expectTypeOf(f.run('true').then((text) => text.length)).toEqualTypeOf<PromiseLike<number>>();
  expectTypeOf(f.run('true').gate((text) => text !== '', 'says something')).toEqualTypeOf<Step<string>>();
  expectTypeOf(f.run('true').gate({ type: 'subprocess_gate', command: 'test -f x' })).toEqualTypeOf<Step<string>>();
  expectTypeOf<keyof Step<string>>().toEqualTypeOf<'then' | 'gate'>();
  // @ts-expect-error no such gate
  f.run('true').gate({ type: 'always' });
});

typed('the other verbs', async () => {
  expectTypeOf(f.llm`Summarise ${1} thing`).toEqualTypeOf<Step<string>>();
  expectTypeOf(f.llm('Answer', { output: { type: 'object' } })).toEqualTypeOf<Step<unknown>>();
  expectTypeOf(f.agent('builder', { task: 'Do it', timeout: '40m', onCrash: 'rerun' })).toEqualTypeOf<Step<AgentResult>>();
  expectTypeOf(f.human('Publish?', { to: 'slack:#team' })).toEqualTypeOf<Step<boolean>>();
  expectTypeOf(f.dispatch('child', { n: 1 })).toEqualTypeOf<Step<DispatchResult>>();
  expectTypeOf(f.hook('may-deploy', {})).toEqualTypeOf<Step<boolean>>();
  expectTypeOf(f.sleep('1h')).toEqualTypeOf<Step<void>>();
  expectTypeOf(f.uuid()).toEqualTypeOf<Step<string>>();
  expectTypeOf(f.phase('checking')).toEqualTypeOf<void>();
  expectTypeOf(f.done('declined', { detail: 'nothing to do' })).toEqualTypeOf<void>();
  expectTypeOf(f.weather).toEqualTypeOf<((city: string) => Step<number>) | undefined>();
  // @ts-expect-error a model call without a schema is a template
  f.llm('Answer');
  // @ts-expect-error a question has an addressee
  f.human('Publish?');
  // @ts-expect-error no such verdict
  f.done('failed');
});

typed('matchesIssue narrows', () => {
  const ticket: unknown = {};
  if (matchesIssue(ticket, { github: { labels: ['bug'] } })) expectTypeOf(ticket).toEqualTypeOf<Issue>();
});
