import assert from 'node:assert/strict';
import { markersIn, refuses, untilDone, type Scenario } from './scenario.js';

const marker = '5f0c9a3e7b1d4a2f8e6c0b9d7a5f3e1c:summary';
const count = (texts: readonly string[], word: string): number => texts.filter((text) => text.includes(word)).length;

export const commentScenarios: readonly Scenario[] = [
  {
    name: 'a comment ends with its marker and is added once',
    async play({ tickets, withMailboxes, afresh, look }) {
      const { ticket, implement } = await withMailboxes();
      for (const key of [ticket, implement]) {
        assert.equal((await tickets.markers({ key })).includes(marker), false);
        assert.deepEqual(await tickets.addComment({ key, marker, body: 'It is fixed.' }), { added: true });
        for (const repo of [tickets, await afresh()]) {
          assert.equal((await repo.markers({ key })).includes(marker), true);
          assert.deepEqual(await repo.addComment({ key, marker, body: 'Other words for the same.' }), { added: false });
        }
        const seen = await look(key);
        assert.deepEqual(markersIn(seen), [marker]);
        assert.equal(seen.comments.length, 1);
        assert.match(seen.comments[0] ?? '', /It is fixed\./);
      }
    },
  },
  {
    name: 'comments with other markers stand beside it, in order',
    async play({ tickets, makeTicket, look, comment }) {
      const key = await makeTicket({ title: 'Fix the login' });
      const markers = ['v1:summary', 'v1:feedback', 'v2:summary', 'my-app/ship/K--1:cancellation', 'my-app/ship/K--1~attempt~2:restart', 'v1'];
      for (const [index, one] of markers.entries()) {
        if (index === 2) await comment(key, 'A person says something.');
        assert.deepEqual(await tickets.addComment({ key, marker: one, body: `Words ${index}.` }), { added: true });
      }
      const seen = await look(key);
      assert.deepEqual(markersIn(seen), markers);
      assert.equal(count(seen.comments, 'A person says something.'), 1);
      assert.deepEqual(await tickets.markers({ key }), markers);
    },
  },
  {
    name: 'a comment keeps its words, whatever Markdown they are',
    async play({ tickets, makeTicket, look }) {
      const key = await makeTicket({ title: 'Fix the login' });
      const body = '# Heading-word\n\n## Comments\n\n- item-word\n\n```ts\nconst fence = "<!-- v9:summary -->";\n```\n\n<!-- hidden-word -->\n\n---\ntitle: not-front-matter\n---\n\n~~~\nnever closed, 🦊';
      await tickets.addComment({ key, marker, body });
      await tickets.addComment({ key, marker: 'next:summary', body: 'After it.' });
      const seen = await look(key);
      for (const word of ['Heading-word', 'item-word', 'const fence', 'hidden-word', 'not-front-matter', 'never closed, 🦊', 'After it.']) assert.equal(count(seen.comments, word), 1, word);
      assert.deepEqual(markersIn(seen), [marker, 'next:summary']);
      assert.equal(seen.title, 'Fix the login');
      assert.deepEqual(await tickets.addComment({ key, marker, body }), { added: false });
    },
  },
  {
    name: 'comments arrive as they are',
    needs: ['exact text'],
    async play({ tickets, makeTicket, look }) {
      const key = await makeTicket({ title: 'Fix the login' });
      const body = '# A\n\n    indented\n\n> quoted\n>\n> more\n\n```\n## Comments\n```\n\\ & <b> 🦊\ttab';
      await tickets.addComment({ key, marker, body });
      assert.deepEqual((await look(key)).comments.map((text) => text.trim()), [`${body}\n\n<!-- ${marker} -->`]);
    },
  },
  {
    name: 'a comment that quotes the marker of another does not stand for it',
    async play({ tickets, makeTicket, comment, look }) {
      const key = await makeTicket({ title: 'Fix the login' });
      await tickets.addComment({ key, marker: 'v1:summary', body: `The marker \`<!-- ${marker} -->\` was seen:\n\n<!-- ${marker} -->\n\nAnd more.` });
      assert.equal((await tickets.markers({ key })).includes(marker), false);
      await comment(key, `Why is there a <!-- ${marker} --> in it?`);
      assert.equal((await tickets.markers({ key })).includes(marker), false);
      assert.deepEqual(await tickets.addComment({ key, marker, body: 'It is fixed.' }), { added: true });
      assert.equal((await look(key)).comments.length, 3);
      assert.deepEqual(await tickets.addComment({ key, marker, body: 'It is fixed.' }), { added: false });
    },
  },
  {
    name: 'a long comment is kept, or cut with its marker in place',
    needs: ['long comments'],
    async play({ tickets, makeTicket, look }) {
      const key = await makeTicket({ title: 'Fix the login' });
      await tickets.addComment({ key, marker, body: `Begins.\n\n${'é🦊 line\n'.repeat(20_000)}` });
      assert.equal((await tickets.markers({ key })).includes(marker), true);
      const { comments: [text = '', ...more] } = await look(key);
      assert.deepEqual(more, []);
      assert.ok(text.includes('Begins.') && text.isWellFormed());
      assert.deepEqual(await tickets.addComment({ key, marker, body: 'Again.' }), { added: false });
    },
  },
  {
    name: 'there can be many comments',
    async play({ tickets, makeTicket, look, afresh }) {
      const key = await makeTicket({ title: 'Fix the login' });
      const markers = Array.from({ length: 30 }, (_, index) => `v${index}:summary`);
      for (const one of markers) await tickets.addComment({ key, marker: one, body: `Of ${one}.` });
      const other = await afresh();
      for (const one of [markers[0] ?? '', markers[29] ?? '']) assert.deepEqual(await other.addComment({ key, marker: one, body: 'Again.' }), { added: false });
      assert.deepEqual(markersIn(await look(key)), markers);
    },
  },
  {
    name: 'a comment whose answer was lost is added once',
    needs: ['failing requests'],
    async play({ tickets, makeTicket, look, failNext }) {
      const key = await makeTicket({ title: 'Fix the login' });
      for (const when of ['after', 'before'] as const) {
        failNext?.(when);
        await untilDone(async () => await tickets.addComment({ key, marker: `${when}:summary`, body: 'It is fixed.' }));
      }
      assert.deepEqual(markersIn(await look(key)), ['after:summary', 'before:summary']);
    },
  },
  {
    name: 'servers that comment at once lose nothing and double nothing',
    needs: ['one writer at a time'],
    async play({ makeTicket, afresh, look }) {
      const key = await makeTicket({ title: 'Fix the login' });
      const servers = await Promise.all([afresh(), afresh(), afresh(), afresh()]);
      const markers = Array.from({ length: 6 }, (_, index) => `v${index}:summary`);
      const added = await Promise.all(servers.flatMap((repo) => markers.map((one) => repo.addComment({ key, marker: one, body: `Of ${one}.` }))));
      assert.deepEqual([...markersIn(await look(key))].sort(), markers);
      assert.equal(added.filter((answer) => answer.added).length, markers.length);
    },
  },
  {
    name: 'errors say which ticket, and nothing that is secret or was written',
    needs: ['failing requests'],
    async play({ tickets, makeTicket, failNext, secrets }) {
      const key = await makeTicket({ title: 'Fix the login' });
      const said = [...secrets, 'words-of-a-comment', 'words-of-a-description'];
      const check = (error: Error & { toJSON: () => unknown }) => {
        const text = `${error.message} ${JSON.stringify(error.toJSON())} ${error.cause instanceof Error ? error.cause.message : JSON.stringify(error.cause ?? '')}`;
        for (const word of said) assert.ok(!text.includes(word), `an error gives away ${word}`);
        assert.ok(text.includes(key), `an error names ${key}: ${text}`);
      };
      check(await refuses('task_missing', tickets.addComment({ key: `${key}99999`, marker, body: 'words-of-a-comment' })));
      const spec = { node: 'implement', title: `${key}:implement`, description: 'words-of-a-description' };
      for (const call of [() => tickets.addComment({ key, marker, body: 'words-of-a-comment' }), () => tickets.ensureMailboxes({ ticket: key, mailboxes: [spec] })]) {
        failNext?.('before');
        // An adapter that tries again by itself may well succeed.
        const answer = call();
        if (await answer.then(() => false, () => true)) check(await refuses('task_unavailable', answer));
      }
    },
  },
];
