import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { inheritedEnvironment } from '../inherited-environment.js';
import { REPORT, VISIT } from './stage.js';
import type { Scenario } from './scenario.js';

/** Everything that a shell, a terminal, JSON or a template would take for something else. */
const ODD = [
  'Prompt with "double", \'single\' and `back` quotes, $HOME $(touch nowhere) ${x} %PATH% !! \\ \\n \\" \\0',
  '\t tabs, trailing blanks   ', '', '', '{{ticket}} {{x}} {{{y}}} }}{{', '-- --help -x @file /review #!sh ; & | > < * ? ~', 'ä ö ü ß 漢字 🦊 e\u0301 \u202Eright to left\u202C \uFEFFmark \u0007bell \u001B[31mred',
  'STATUS: of what was said before', 'a\rb',
].join('\n');

export const turnScenarios: readonly Scenario[] = [
  {
    name: 'finds the report behind whatever was printed before it',
    needs: ['headless'],
    async play(stage) {
      const { play, bring } = stage.headless();
      await play([{ noise: 'Reading files …\nSTATUS: reading\nWARNING: slow', says: `I have thought about it.\n\n${REPORT}` }]);
      const last = await bring();
      equal(last.type, 'report');
      if (last.type !== 'report') return;
      deepEqual([last.report.status, last.report.nextStep, last.report.summary.completed], ['success', 'review', 'It is done.']);
      equal(last.text.trim(), REPORT);
      ok(last.reportId.startsWith(`${VISIT.visitId}:1`));
    },
  },
  {
    name: 'delivers every character of a prompt as it is',
    needs: ['headless'],
    async play(stage) {
      const { play, bring, seen } = stage.headless();
      await play([{ says: REPORT }]);
      const prompt = `${ODD}\n${'0123456789abcde\n'.repeat(65_536)}end`;
      equal((await bring({ prompt })).type, 'report');
      const [turn] = await seen();
      ok(turn?.prompt === prompt, 'the prompt of more than a mebibyte arrives byte for byte');
    },
  },
  {
    name: 'gives its process the variables of the launch, in the workspace',
    needs: ['headless'],
    async play(stage) {
      const { play, bring, seen } = stage.headless();
      await play([{ says: REPORT }]);
      const launch = stage.launch();
      await bring();
      const [turn] = await seen();
      equal(turn?.cwd, stage.repo);
      const env = turn?.env ?? {};
      for (const [name, value] of Object.entries(launch.env)) equal(env[name], value, name);
      deepEqual(Object.keys(env).filter((name) => name.startsWith('RELAY_FLOW_')).toSorted(), Object.keys(launch.env).filter((name) => name.startsWith('RELAY_FLOW_')).toSorted());
      for (const [name, value] of Object.entries(inheritedEnvironment(stage.env))) if (!(name in launch.env)) equal(env[name], value, name);
      ok(!JSON.stringify(turn).includes(VISIT.visitId), 'the id of the visit stays inside the server');
    },
  },
  {
    name: 'asks again with what was wrong, then with the prompt, where the agent begins anew each time',
    needs: ['headless', 'no sessions'],
    async play(stage) {
      const { play, bring, seen } = stage.headless();
      await play([{ says: REPORT.replace('review', 'nowhere') }, { says: REPORT }]);
      const last = await bring();
      ok(last.type === 'report' && last.turn === 2);
      const [first, second] = await seen();
      equal(first?.prompt, stage.launch().prompt);
      match(second?.prompt ?? '', /^Your last answer could not be taken as the report of this node:\n- NEXT STEP "nowhere"/);
      ok(second?.prompt.endsWith(`\n\n${stage.launch().prompt}`));
    },
  },
  {
    name: 'asks again in the same session with what was wrong alone, where there is one',
    needs: ['headless', 'sessions'],
    async play(stage) {
      const { play, bring, seen, events } = stage.headless();
      await play([{ says: 'Done!' }, { says: REPORT }]);
      const last = await bring();
      ok(last.type === 'report' && last.turn === 2 && last.sessionId !== undefined);
      const session = events.find((event) => event.type === 'session');
      ok(session?.type === 'session', 'the session is told before the report');
      const [first, second] = await seen();
      equal(first?.session, undefined);
      equal(second?.session, session.sessionId);
      match(second?.prompt ?? '', /^Your last answer could not be taken/);
      ok(second?.prompt.includes(stage.launch().prompt) === false);
    },
  },
  {
    name: 'goes on with the session of an earlier visit',
    needs: ['headless', 'sessions'],
    async play(stage) {
      const { play, bring, seen } = stage.headless();
      await play([{ says: REPORT }]);
      const first = await bring();
      ok(first.type === 'report' && first.sessionId !== undefined);
      const second = await bring({ purpose: 'feedback', prompt: 'Feedback was added.', sessionId: first.sessionId });
      ok(second.type === 'report' && second.sessionId === first.sessionId && second.reportId !== first.reportId);
      const [, turn] = await seen();
      deepEqual([turn?.session, turn?.prompt], [first.sessionId, 'Feedback was added.']);
    },
  },
  {
    name: 'begins a fresh session with the whole prompt when the one to go on with is gone',
    needs: ['headless', 'sessions'],
    async play(stage) {
      const { play, runner, visit, seen } = stage.headless();
      await play([{ says: REPORT }]);
      const lost = '00000000-0000-4000-8000-000000000000';
      const last = await new Promise<string>((resolve) => {
        runner.start({
          ...visit({ purpose: 'feedback', prompt: 'Feedback was added.', sessionId: lost }),
          freshPrompt: 'From the beginning.',
          onEvent({ type }) {
            if (type === 'report' || type === 'exhausted') resolve(type);
          },
        });
      });
      equal(last, 'report');
      const turn = (await seen()).at(-1);
      deepEqual([turn?.session, turn?.prompt], [undefined, 'From the beginning.']);
    },
  },
  {
    name: 'gives up after it has asked five times again',
    needs: ['headless'],
    async play(stage) {
      const { play, bring, seen } = stage.headless();
      await play([{ says: 'I am done.' }]);
      const last = await bring();
      ok(last.type === 'exhausted' && last.turn === 6 && last.problems.length > 0);
      equal((await seen()).length, 6);
    },
  },
  {
    name: 'takes no report from a turn that fails',
    needs: ['headless'],
    async play(stage) {
      const { play, bring } = stage.headless();
      await play([{ says: REPORT, fails: true }]);
      const last = await bring();
      ok(last.type === 'exhausted' && last.turn === 6);
    },
  },
];
