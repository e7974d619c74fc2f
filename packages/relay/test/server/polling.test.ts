import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { createFilesTaskSystem } from '../../src/task/files/files-task-system.js';
import type { TaskRepo, TaskSystem } from '../../src/task/port.js';
import { STRAIGHT, World } from './world.js';

let world: World;
let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  world.remove();
});

it('looks at the tickets of a repository one look after the other, and at once when workflows change', async () => {
  world = await new World({ build: [{ next: 'end' }] }, { pollIntervalSeconds: 3_600 }).init();
  let now = 0;
  let most = 0;
  let looks = 0;
  const real = createFilesTaskSystem({ stateDir: `${world.home.root}/files`, owner: 'ann' });
  const taskSystem: TaskSystem = {
    ...real,
    openRepo: async (binding) => {
      const repo = await real.openRepo(binding);
      const poll = repo.poll.bind(repo);
      return Object.assign(repo, {
        poll: async (args: Parameters<TaskRepo['poll']>[0]) => {
          looks += 1;
          most = Math.max(most, (now += 1));
          await new Promise((resolve) => setTimeout(resolve, 200));
          now -= 1;
          return await poll(args);
        },
      });
    },
  };
  server = await startServer({ home: world.home, env: process.env, version: '0', adapters: { taskSystem }, log: openServerLog({ path: world.home.serverLog }) });
  world.ticket('APP-1');
  const other = (name: string): string => STRAIGHT.replace('name: straight', `name: ${name}`).replace('repos: [app]', 'repos: [app]\ntaskConfig: { filters: { labels: [none] } }');
  for (const body of [other('one'), other('two'), other('three'), STRAIGHT]) await world.client.call('submitWorkflow', { body });
  await world.until('APP-1', ({ state }) => state === 'completed');
  expect(most).toBe(1);
  expect(looks).toBeGreaterThan(1);
});
