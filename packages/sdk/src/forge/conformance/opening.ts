import assert from 'node:assert/strict';
import { BODY_MAX } from '../body/fit-body.js';
import { BRANCH, OPENING, refuses, type Scenario } from './scenario.js';

export const openingScenarios: readonly Scenario[] = [
  {
    name: 'a branch without a change has none',
    async play({ forge, push }) {
      await push(BRANCH);
      assert.equal(await forge.find({ branch: BRANCH }), undefined);
      assert.equal(await forge.find({ branch: 'never-pushed' }), undefined);
    },
  },
  {
    name: 'a change is opened as it is asked, and found as it was opened',
    async play({ forge, push, only, bases }) {
      await push(BRANCH);
      const { created, ...change } = await forge.open(OPENING);
      assert.equal(created, true);
      assert.deepEqual({ ...change, number: 0, url: '' }, { number: 0, url: '', branch: BRANCH, base: bases[0], title: OPENING.title, draft: false });
      assert.match(change.url, /^(https?|file):\/\/\S+$/);
      assert.deepEqual(await forge.find({ branch: BRANCH }), change);
      const { title, draft, base, description, comments, reviewers } = await only(BRANCH);
      assert.deepEqual({ title, draft, base, description: description.trim(), comments, reviewers }, { title: OPENING.title, draft: false, base: bases[0], description: OPENING.body.trim(), comments: [], reviewers: [] });
    },
  },
  {
    name: 'a change that is open is updated, not opened twice',
    async play({ forge, another, push, only, bases }) {
      await push(BRANCH);
      const first = await forge.open(OPENING);
      const second = await another().open({ ...OPENING, title: 'Fix the login for good', body: 'It is fixed better.', base: bases[1] });
      assert.deepEqual({ ...second }, { ...first, created: false, title: 'Fix the login for good', base: bases[1] });
      const { title, base, description } = await only(BRANCH);
      assert.deepEqual({ title, base, description: description.trim() }, { title: 'Fix the login for good', base: bases[1], description: 'It is fixed better.' });
    },
  },
  {
    name: 'a change that is open keeps its base when none is named',
    async play({ forge, push, only, bases }) {
      await push(BRANCH);
      await forge.open({ ...OPENING, base: bases[1] });
      assert.equal((await forge.open(OPENING)).base, bases[1]);
      assert.equal((await only(BRANCH)).base, bases[1]);
    },
  },
  {
    name: 'two at once open one',
    async play({ another, push, only }) {
      await push(BRANCH);
      const opened = await Promise.all([another().open(OPENING), another().open(OPENING), another().open(OPENING)]);
      const { number } = await only(BRANCH);
      assert.deepEqual(opened.map((change) => change.number), [number, number, number]);
      assert.equal(opened.filter(({ created }) => created).length, 1);
    },
  },
  {
    name: 'a change whose answer was lost is opened once',
    needs: ['lost answers'],
    async play({ forge, push, only, loseNextAnswer }) {
      await push(BRANCH);
      loseNextAnswer();
      const change = await forge.open(OPENING);
      assert.equal((await only(BRANCH)).number, change.number);
      assert.equal(change.created, true);
    },
  },
  {
    name: 'a change that was closed is not found, and a new one is opened',
    async play({ forge, push, close, only }) {
      await push(BRANCH);
      const first = await forge.open(OPENING);
      await close(BRANCH);
      assert.equal(await forge.find({ branch: BRANCH }), undefined);
      await refuses('change_not_found', forge.draft({ branch: BRANCH }));
      const second = await forge.open(OPENING);
      assert.equal(second.created, true);
      assert.notEqual(second.number, first.number);
      assert.equal((await only(BRANCH)).number, second.number);
    },
  },
  {
    name: 'a branch that was not pushed, or is missing, has no change opened',
    async play({ forge, look }) {
      await refuses('forge_refused', forge.open(OPENING));
      assert.deepEqual(await look(BRANCH), []);
    },
  },
  {
    name: 'a base that does not exist is refused',
    async play({ forge, push, look }) {
      await push(BRANCH);
      await refuses('forge_refused', forge.open({ ...OPENING, base: 'no-such-branch' }));
      assert.deepEqual(await look(BRANCH), []);
    },
  },
  {
    name: 'branches do not mix, whatever they are called',
    async play({ forge, push, only }) {
      // One at a time is cheaper for a forge that starts a program for each request.
      const numbers = new Map<string, number>();
      for (const branch of ['a/b', 'a%2Fb', 'a&state=closed#b', 'ä/🦊', `it's+;${'x'.repeat(180)}`]) {
        await push(branch);
        numbers.set(branch, (await forge.open({ branch, title: `On ${branch}`, body: branch })).number);
      }
      assert.equal(new Set(numbers.values()).size, numbers.size);
      for (const [branch, number] of numbers) {
        assert.equal((await forge.find({ branch }))?.number, number, branch);
        assert.equal((await only(branch)).number, number, branch);
      }
      assert.equal(await forge.find({ branch: 'a' }), undefined);
    },
  },
  {
    name: 'titles and descriptions arrive as they are',
    async play({ forge, push, only }) {
      await push(BRANCH);
      const title = `"Quotes", \\back, $HOME, <b>, ünï 🦊, ‘x’ & it's`;
      const body = `# ä\n\n| a | b |\n|---|---|\n\n\`\`\`sh\necho "$HOME"\n\`\`\`\n\n> 🦊 e\u0301 \\ & <b>\n\nFixes #4`;
      assert.equal((await forge.open({ branch: BRANCH, title, body })).title, title);
      const seen = await only(BRANCH);
      assert.deepEqual([seen.title, seen.description.trim()], [title, body]);
    },
  },
  {
    name: 'a description that is too long is cut, and still closes its ticket',
    async play({ forge, push, only }) {
      await push(BRANCH);
      await forge.open({ ...OPENING, body: `\`\`\`\n${'🦊 line\n'.repeat(20_000)}\`\`\`\n\nFixes #4\n` });
      const { description } = await only(BRANCH);
      assert.ok(description.length <= BODY_MAX && description.length > BODY_MAX - 2_500, `${description.length} characters`);
      assert.match(description, /^Fixes #4$/m);
      assert.equal(description.isWellFormed(), true);
      assert.equal((description.match(/^```$/gm) ?? []).length, 2, 'the code block is closed');
    },
  },
];
