import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { Terminals, TerminalCommand } from '../port.js';
import { eventually, type Scenario, type Stage, type TerminalSetUp } from './scenario.js';

/** A workspace for a ticket, and the terminals of runner and set-up. */
export async function withTerminals(stage: Stage): Promise<{ readonly terminals: Terminals; readonly world: TerminalSetUp; readonly another: () => Terminals }> {
  const runner = await stage.known();
  await runner.ensureWorkspace(stage.at('RUN-1'));
  assert.ok(runner.terminals !== undefined && stage.terminals !== undefined, 'runner and set-up have terminals');
  return { terminals: runner.terminals, world: stage.terminals, another: () => stage.another().terminals ?? assert.fail('another runner has terminals too') };
}

/** What a listener has written: how it was started, and the lines that it read. */
export function heard(file: string): { readonly began: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } | undefined; readonly lines: readonly string[] } {
  const [first, ...lines] = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  return { began: first === undefined ? undefined : JSON.parse(first) as { args: string[]; env: Record<string, string> }, lines };
}

const needs = ['terminals'] as const;

const AWKWARD = ['', ' ', 'it\'s "so"', '$HOME `id` $(id) \\ ! * ; & | > <', 'two\nlines\n', 'tab\there', 'ünï 日本 😀', '-x', '--title', '#no', '~', 'a=b'];

export const terminalScenarios: readonly Scenario[] = [
  {
    name: 'a terminal runs its command in the workspace with its arguments and variables, exactly',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const file = world.newFile();
      const listener = world.listener(file);
      const command: TerminalCommand = { ...listener, args: [...listener.args, ...AWKWARD], env: { ...listener.env, RELAY_FLOW_A: AWKWARD.join('|'), RELAY_FLOW_EMPTY: '' } };
      const terminal = await terminals.create({ ...stage.at('RUN-1'), title: 'RUN-1:implement', command });
      assert.deepEqual({ ...terminal, handle: '' }, { handle: '', title: 'RUN-1:implement', live: true });
      await eventually('the command runs', () => heard(file).began !== undefined);
      assert.deepEqual(heard(file).began?.args.slice(-AWKWARD.length), AWKWARD);
      assert.equal(heard(file).began?.env['RELAY_FLOW_A'], AWKWARD.join('|'));
      assert.equal(heard(file).began?.env['RELAY_FLOW_EMPTY'], '');
    },
  },
  {
    name: 'a terminal is found by its title, by another process too, whatever its program calls it',
    needs,
    async play(stage) {
      const { terminals, world, another } = await withTerminals(stage);
      const title = 'RUN-1:implement';
      assert.equal(await terminals.find({ ...stage.at('RUN-1'), title }), undefined);
      const made = await terminals.create({ ...stage.at('RUN-1'), title, command: world.listener(world.newFile()) });
      await world.overwriteTitle(made.handle, 'RUN-1:review');
      assert.deepEqual(await another().find({ ...stage.at('RUN-1'), title }), made);
      assert.equal(await terminals.find({ ...stage.at('RUN-1'), title: 'RUN-1:review' }), undefined);
      assert.equal(await terminals.find({ ...stage.at('RUN-2'), title }), undefined);
      assert.deepEqual(await terminals.show({ handle: made.handle }), made);
    },
  },
  {
    name: 'creating a terminal twice starts one command',
    needs,
    async play(stage) {
      const { terminals, world, another } = await withTerminals(stage);
      const request = { ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(world.newFile()) };
      const made = await terminals.create(request);
      assert.deepEqual(await another().create(request), made);
      assert.deepEqual(await Promise.all([terminals.create(request), terminals.create(request)]), [made, made]);
      assert.equal(await world.terminalsMade(), 1);
    },
  },
  {
    name: 'a lost answer does not start a command twice',
    needs: ['terminals', 'lost answers'],
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const request = { ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(world.newFile()) };
      await stage.loseAnswer?.();
      const made = await terminals.create(request).catch(() => terminals.create(request));
      assert.equal(await world.terminalsMade(), 1);
      assert.deepEqual(await world.openIn(stage.at('RUN-1')), [made.handle]);
    },
  },
  {
    name: 'a terminal whose command has ended is not live, and is replaced by the next',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const request = { ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(world.newFile()) };
      const made = await terminals.create(request);
      await terminals.send({ handle: made.handle, text: 'exit' });
      await eventually('it is not live', async () => (await terminals.show({ handle: made.handle }))?.live !== true);
      assert.notEqual((await terminals.find({ ...stage.at('RUN-1'), title: request.title }))?.live, true);
      const next = await terminals.create(request);
      assert.notEqual(next.handle, made.handle);
      assert.equal(next.live, true);
      assert.deepEqual(await world.openIn(stage.at('RUN-1')), [next.handle]);
    },
  },
  {
    name: 'of two terminals with one title the live one is found, and the other closed',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const at = { ...stage.at('RUN-1'), title: 'RUN-1:implement' };
      const dead = await terminals.create({ ...at, command: world.listener(world.newFile()) });
      await terminals.send({ handle: dead.handle, text: 'exit' });
      await eventually('it is not live', async () => (await terminals.show({ handle: dead.handle }))?.live !== true);
      const live = await world.open(at);
      assert.deepEqual(await terminals.find(at), { handle: live, title: at.title, live: true });
      assert.deepEqual(await world.openIn(stage.at('RUN-1')), [live]);
      await world.open(at);
      const one = await terminals.find(at);
      assert.equal(one?.live, true);
      assert.deepEqual(await world.openIn(stage.at('RUN-1')), [one?.handle]);
    },
  },
  {
    name: 'handles of an application that was started anew are gone, and the terminal is found again',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const at = { ...stage.at('RUN-1'), title: 'RUN-1:implement' };
      const made = await terminals.create({ ...at, command: world.listener(world.newFile()) });
      await world.restart();
      assert.equal(await terminals.show({ handle: made.handle }), undefined);
      await terminals.close({ handle: made.handle });
      const again = await terminals.find(at);
      assert.equal(again?.live, true);
      assert.notEqual(again?.handle, made.handle);
    },
  },
  {
    name: 'a closed terminal is gone, twice too',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const at = { ...stage.at('RUN-1'), title: 'RUN-1:implement' };
      const made = await terminals.create({ ...at, command: world.listener(world.newFile()) });
      await terminals.close({ handle: made.handle });
      await terminals.close({ handle: made.handle });
      assert.equal(await terminals.show({ handle: made.handle }), undefined);
      assert.equal(await terminals.find(at), undefined);
      await terminals.close({ handle: 'term_unheard-of' });
    },
  },
  {
    name: 'closing all closes the ticket\'s terminals and no others, and keeps the workspace',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      for (const node of ['implement', 'review']) await terminals.create({ ...stage.at('RUN-1'), title: `RUN-1:${node}`, command: world.listener(world.newFile()) });
      const others = [await world.open({ ...stage.at('RUN-1'), title: 'mine' }), await world.open({ ...stage.at('RUN-1'), title: 'RUN-12:implement' })];
      await terminals.closeAll(stage.at('RUN-1'));
      await terminals.closeAll(stage.at('RUN-1'));
      assert.deepEqual([...(await world.openIn(stage.at('RUN-1')))].sort(), others.sort());
      assert.equal((await stage.runner.listWorkspaces(stage.repo)).length, 1);
      await terminals.closeAll(stage.at('NEVER-1'));
    },
  },
  {
    name: 'removing a workspace closes its terminals first',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const made = await terminals.create({ ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(world.newFile()) });
      await stage.runner.removeWorkspace(stage.at('RUN-1'));
      assert.equal(await terminals.show({ handle: made.handle }), undefined);
      assert.equal(await terminals.find({ ...stage.at('RUN-1'), title: 'RUN-1:implement' }), undefined);
    },
  },
  {
    name: 'no error tells arguments or variables of a command',
    needs: ['terminals', 'an unreachable runner'],
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const at = { ...stage.at('RUN-1'), title: 'RUN-1:implement' };
      const made = await terminals.create({ ...at, command: world.listener(world.newFile()) });
      await stage.unplug?.();
      const secret = 'the-secret-0451';
      const command = { file: 'sh', args: ['-c', secret], env: { RELAY_FLOW_SECRET: secret } };
      for (const call of [() => terminals.create({ ...at, title: 'RUN-1:review', command }), () => terminals.send({ handle: made.handle, text: secret })]) {
        const error: unknown = await call().then(() => assert.fail('it cannot succeed'), (reason: unknown) => reason);
        assert.ok(error instanceof Error);
        for (let told: unknown = error; told instanceof Error; told = told.cause) assert.ok(!`${told.stack ?? ''}${JSON.stringify(told)}`.includes(secret), 'it tells none');
      }
    },
  },
];
