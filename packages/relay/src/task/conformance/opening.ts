import assert from 'node:assert/strict';
import type { LifecyclePoint } from '../task-config.js';
import { CLAIM, mailboxes, refuses, type Scenario } from './scenario.js';

const POINTS: readonly LifecyclePoint[] = ['start', 'work', 'complete', 'end', 'recovery'];

export const openingScenarios: readonly Scenario[] = [
  {
    name: 'it can be reached, and a repository is the same whoever opens it',
    async play({ tasks, tickets, afresh, repo }) {
      await tasks.probe({ repos: [repo], signal: AbortSignal.timeout(5_000) });
      const again = await afresh();
      assert.notEqual(tickets.identity, '');
      assert.equal(again.identity, tickets.identity);
      assert.deepEqual(again.repo, repo);
      assert.equal(again.owner, tickets.owner);
      assert.equal(tickets.owner, tickets.owner?.trim().toLowerCase());
    },
  },
  {
    name: 'what is asked to register a repository leads to settings that open it',
    async play({ tasks, another, repo, registration }) {
      const asked: string[] = [];
      let values: Readonly<Record<string, string>> = {};
      for (;;) {
        const field = (await tasks.registrationFields({ repo, values })).find(({ name }) => !(name in values));
        if (field === undefined) break;
        assert.ok(!asked.includes(field.name) && field.prompt !== '', `${field.name} is asked once`);
        const answer = registration[field.name] ?? field.initial;
        assert.ok(answer !== undefined, `the set-up has an answer for ${field.name}`);
        asked.push(field.name);
        values = { ...values, [field.name]: answer };
      }
      assert.deepEqual(await tasks.registrationFields({ repo, values }), []);
      const layer = tasks.registrationConfig({ repo, values });
      const opened = await another().openRepo({ ...repo, taskConfig: { ...repo.taskConfig, ...layer }, ownTaskConfig: layer });
      assert.deepEqual(await opened.poll({ signal: AbortSignal.timeout(30_000) }), []);
    },
  },
  {
    name: 'settings that cannot be used are refused',
    needs: ['refused settings'],
    async play({ another, refusedRepos = [] }) {
      assert.ok(refusedRepos.length > 0);
      for (const { repo, code } of refusedRepos) await refuses(code, another().openRepo(repo));
    },
  },
  {
    name: 'every lifecycle point has a default that can be used',
    async play({ tickets }) {
      for (const point of POINTS) {
        const { parentStatus, taskStatus } = tickets.lifecycleDefault(point);
        await tickets.validate({ filters: {}, templates: {}, own: {}, transitionTo: { ...(parentStatus === undefined ? {} : { parentStatus }), ...(taskStatus === undefined ? {} : { taskStatus }) } });
      }
      assert.notEqual(tickets.lifecycleDefault('end').parentStatus, undefined, 'the end closes the ticket');
      assert.notEqual(tickets.lifecycleDefault('complete').taskStatus, undefined, 'a completed mailbox shows it');
    },
  },
  {
    name: 'a status that the system does not have is refused when settings are checked',
    needs: ['known statuses'],
    async play({ tickets }) {
      for (const transitionTo of [{ parentStatus: 'No Such Status' }, { taskStatus: 'No Such Status' }]) {
        const error = await refuses('task_config_invalid', tickets.validate({ filters: {}, templates: {}, own: {}, transitionTo }));
        assert.match(error.text, /No Such Status/);
      }
    },
  },
  {
    name: 'a ticket that does not exist is missing, whatever is asked of it',
    async play({ tickets, makeTicket }) {
      const near = await makeTicket({ title: 'Another' });
      const key = `${near}99999`;
      assert.equal(await tickets.view({ key }), undefined);
      const { parentStatus = 'x' } = tickets.lifecycleDefault('end');
      const calls = [
        () => tickets.claim({ key, labels: CLAIM }),
        () => tickets.ensureMailboxes({ ticket: key, mailboxes: mailboxes(key) }),
        () => tickets.transition({ ticket: key, transition: { parentStatus } }),
        () => tickets.addComment({ key, marker: 'v1:summary', body: 'Hello.' }),
        () => tickets.markers({ key }),
      ];
      for (const call of calls) assert.match((await refuses('task_missing', call())).text, new RegExp(key));
    },
  },
  {
    name: 'agents of a ticket get variables that are plain words',
    async play({ tickets, makeTicket }) {
      const ticket = await makeTicket({ title: 'Fix the login' });
      const variables = tickets.agentEnvironment({ ticket });
      for (const [name, value] of Object.entries(variables)) {
        assert.match(name, /^[A-Z][A-Z0-9_]*$/);
        assert.equal(typeof value, 'string');
        assert.ok(!value.includes('\0'));
      }
      assert.deepEqual(tickets.agentEnvironment({ ticket }), variables);
    },
  },
];
