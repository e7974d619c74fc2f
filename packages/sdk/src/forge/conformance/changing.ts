import assert from 'node:assert/strict';
import { BODY_MAX } from '../body/fit-body.js';
import { BRANCH, OPENING, refuses, type Scenario } from './scenario.js';

export const changingScenarios: readonly Scenario[] = [
  {
    name: 'a change is opened as a draft',
    needs: ['drafts'],
    async play({ forge, push, only }) {
      await push(BRANCH);
      const { draft, title } = await forge.open({ ...OPENING, draft: true });
      assert.deepEqual({ draft, title }, { draft: true, title: OPENING.title });
      assert.equal((await only(BRANCH)).draft, true);
      assert.equal((await forge.find({ branch: BRANCH }))?.title, OPENING.title);
    },
  },
  {
    name: 'a change becomes a draft and ready again, and stays what it is when it is asked twice',
    needs: ['drafts'],
    async play({ forge, another, push, only }) {
      await push(BRANCH);
      const { number } = await forge.open(OPENING);
      for (const act of ['draft', 'draft', 'ready', 'ready', 'draft'] as const) {
        const change = await another()[act]({ branch: BRANCH });
        assert.deepEqual([change.number, change.draft, change.title], [number, act === 'draft', OPENING.title]);
        const seen = await only(BRANCH);
        assert.deepEqual([seen.number, seen.draft, seen.description.trim()], [number, act === 'draft', OPENING.body.trim()]);
      }
    },
  },
  {
    name: 'opening again brings a change to what is asked, draft or ready',
    needs: ['drafts'],
    async play({ forge, push, only }) {
      await push(BRANCH);
      for (const draft of [true, false, true]) {
        assert.equal((await forge.open({ ...OPENING, draft })).draft, draft);
        assert.equal((await only(BRANCH)).draft, draft);
      }
    },
  },
  {
    name: 'a branch without a change has nothing done to it',
    async play({ forge, push, look, reviewers }) {
      await push(BRANCH);
      const calls = [forge.draft({ branch: BRANCH }), forge.ready({ branch: BRANCH }), forge.comment({ branch: BRANCH, body: 'x' }), forge.requestReview({ branch: BRANCH, reviewer: reviewers[0] })];
      for (const error of await Promise.all(calls.map(async (call) => await refuses('change_not_found', call)))) assert.match(error.text, new RegExp(BRANCH));
      assert.deepEqual(await look(BRANCH), []);
    },
  },
  {
    name: 'a comment is posted once, however often the call is repeated',
    async play({ forge, another, push, only }) {
      await push(BRANCH);
      await forge.open(OPENING);
      await forge.comment({ branch: BRANCH, body: 'The review is *not* resolved.\n\n- `a`\n' });
      await another().comment({ branch: BRANCH, body: 'The review is *not* resolved.\r\n\r\n- `a`' });
      await forge.comment({ branch: BRANCH, body: 'Something else.' });
      assert.deepEqual((await only(BRANCH)).comments.map((comment) => comment.trim()), ['The review is *not* resolved.\n\n- `a`', 'Something else.']);
    },
  },
  {
    name: 'a comment whose answer was lost is posted once',
    needs: ['lost answers'],
    async play({ forge, push, only, loseNextAnswer }) {
      await push(BRANCH);
      await forge.open(OPENING);
      loseNextAnswer();
      await forge.comment({ branch: BRANCH, body: 'Once.' });
      assert.deepEqual((await only(BRANCH)).comments, ['Once.']);
    },
  },
  {
    name: 'a comment that is too long is cut',
    async play({ forge, push, only }) {
      await push(BRANCH);
      await forge.open(OPENING);
      const body = 'é🦊'.repeat(40_000);
      await forge.comment({ branch: BRANCH, body });
      await forge.comment({ branch: BRANCH, body });
      const { comments: [comment = '', ...more] } = await only(BRANCH);
      assert.deepEqual(more, []);
      assert.ok(comment.length <= BODY_MAX && comment.isWellFormed() && comment.startsWith('é🦊'));
    },
  },
  {
    name: 'people are asked for review, each of them once',
    async play({ forge, push, only, reviewers: [first, second] }) {
      await push(BRANCH);
      await forge.open(OPENING);
      await forge.requestReview({ branch: BRANCH, reviewer: first });
      await forge.requestReview({ branch: BRANCH, reviewer: `@${second}` });
      await forge.requestReview({ branch: BRANCH, reviewer: first });
      assert.deepEqual([...(await only(BRANCH)).reviewers].sort(), [first, second].sort());
    },
  },
  {
    name: 'somebody who is not known cannot be asked, and nothing else changes',
    needs: ['known reviewers'],
    async play({ forge, push, only }) {
      await push(BRANCH);
      await forge.open(OPENING);
      const before = await only(BRANCH);
      await refuses('forge_refused', forge.requestReview({ branch: BRANCH, reviewer: 'nobody-at-all' }));
      assert.deepEqual(await only(BRANCH), before);
    },
  },
  {
    name: 'a call that is given up says so',
    async play({ forge, push }) {
      await push(BRANCH);
      const signal = AbortSignal.abort();
      await refuses('canceled', forge.open({ ...OPENING, signal }));
      await refuses('canceled', forge.find({ branch: BRANCH, signal }));
    },
  },
];
