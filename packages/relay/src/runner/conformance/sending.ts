import assert from 'node:assert/strict';
import { heard, withTerminals } from './terminals.js';
import { eventually, refuses, type Scenario } from './scenario.js';

const needs = ['terminals'] as const;

/** What counts in a prompt: a runner may have to send it on one line. */
const words = (text: string): string => text.split(/\s+/).filter((word) => word !== '').join(' ');

export const sendScenarios: readonly Scenario[] = [
  {
    name: 'a sent text arrives once, entered',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const file = world.newFile();
      const { handle } = await terminals.create({ ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(file) });
      await terminals.send({ handle, text: 'Read "the" $MAILBOX, it\'s new: `x`' });
      await eventually('the text arrives', () => heard(file).lines.length > 0);
      await terminals.send({ handle, text: '- another' });
      await eventually('the other arrives', () => heard(file).lines.includes('- another'));
      assert.deepEqual(heard(file).lines.filter((line) => line !== ''), ['Read "the" $MAILBOX, it\'s new: `x`', '- another']);
    },
  },
  {
    name: 'a text of several lines arrives whole',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const file = world.newFile();
      const { handle } = await terminals.create({ ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(file) });
      const text = 'First line\n\n- second\r\n\tthird\n';
      await terminals.send({ handle, text });
      await eventually('all of it arrives', () => words(heard(file).lines.join('\n')) === words(text));
    },
  },
  {
    name: 'a long text arrives whole',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const file = world.newFile();
      const { handle } = await terminals.create({ ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(file) });
      const text = Array.from({ length: 40_000 }, (_, index) => `w${index}`).join(' ');
      await terminals.send({ handle, text });
      await eventually('all of it arrives', () => words(heard(file).lines.join('\n')) === text);
    },
  },
  {
    name: 'a text that stays where it is typed in is entered',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const file = world.newFile();
      const { handle } = await terminals.create({ ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(file) });
      await world.swallowEnter();
      await terminals.send({ handle, text: 'Read your mailbox' });
      await eventually('the text arrives', () => heard(file).lines.includes('Read your mailbox'));
      assert.deepEqual(heard(file).lines.filter((line) => line !== ''), ['Read your mailbox']);
    },
  },
  {
    name: 'a text whose mark can be seen is not typed again, and one with another mark is',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const file = world.newFile();
      const { handle } = await terminals.create({ ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(file) });
      const send = async (mark: string): Promise<void> => {
        await terminals.send({ handle, text: `Read your mailbox (${mark})`, mark });
        await eventually('the text arrives', () => heard(file).lines.includes(`Read your mailbox (${mark})`));
      };
      for (const mark of ['mark-0a1b2c3d', 'mark-0a1b2c3d', 'mark-0a1b2c3e']) await send(mark);
      assert.deepEqual(heard(file).lines.filter((line) => line !== ''), ['Read your mailbox (mark-0a1b2c3d)', 'Read your mailbox (mark-0a1b2c3e)']);
    },
  },
  {
    name: 'nothing can be sent to a terminal that is gone, or whose program has ended',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const made = await terminals.create({ ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(world.newFile()) });
      await terminals.send({ handle: made.handle, text: 'exit' });
      await eventually('it is not live', async () => (await terminals.show({ handle: made.handle }))?.live !== true);
      await refuses('runner_missing', terminals.send({ handle: made.handle, text: 'hello' }));
      await terminals.close({ handle: made.handle });
      await refuses('runner_missing', terminals.send({ handle: made.handle, text: 'hello' }));
    },
  },
  {
    name: 'a program that asks something itself is a person\'s',
    needs,
    async play(stage) {
      const { terminals, world } = await withTerminals(stage);
      const file = world.newFile();
      const { handle } = await terminals.create({ ...stage.at('RUN-1'), title: 'RUN-1:implement', command: world.listener(file) });
      await eventually('the command runs', () => heard(file).began !== undefined);
      await world.ask(handle);
      const refusal = await refuses('runner_conflict', terminals.send({ handle, text: 'the-secret-0451' }));
      assert.ok(!refusal.text.includes('the-secret-0451'));
      assert.deepEqual(heard(file).lines, []);
    },
  },
];
