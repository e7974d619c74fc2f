import { expect, it } from 'vitest';
import type { Execute } from '../../../src/process/execute.js';
import { claimLabels, claimsOf, ownershipOf } from '../../../src/server/routing/claims.js';
import { createBeadsTaskSystem } from '../../../src/task/beads/index.js';
import type { TaskRepo } from '../../../src/task/port.js';
import { scene, type BeadsScene } from './scene.js';

async function ofOwner(at: BeadsScene, owner: string | undefined, execute: Execute = at.run): Promise<TaskRepo> {
  return await createBeadsTaskSystem({ env: at.env, execute, ...(owner === undefined ? {} : { owner }) }).openRepo(at.binding());
}

/** Claims for the owner of a repository, and says whose the ticket is then. */
async function claim(repo: TaskRepo, key: string) {
  return ownershipOf(claimsOf((await repo.claim({ key, labels: claimLabels('ship', repo.owner) })).labels), 'ship', repo);
}

it('a claim of another server is left as it is', async () => {
  const at = scene();
  const key = await at.makeTicket({ title: 'Fix the login' });
  expect([await claim(await ofOwner(at, 'ann'), key), await claim(await ofOwner(at, 'bob'), key), await claim(await ofOwner(at, 'ann'), key)]).toEqual(['ours', 'others', 'ours']);
  expect(at.issue(key).labels.filter((label) => label.startsWith('wf')).toSorted()).toEqual(claimLabels('ship', 'ann').toSorted());
});

it('of two servers that claim in the same moment none goes on, and both see why', async () => {
  const at = scene();
  const key = await at.makeTicket({ title: 'Fix the login' });
  let go: (() => void) | undefined;
  const both = new Promise<void>((resolve) => (go = resolve));
  let waiting = 0;
  // The workspace is locked for one bd at a time.
  let last: Promise<unknown> = Promise.resolve();
  const together: Execute = async (call) => {
    // Each has looked, and found the ticket free.
    if (call.args.includes('update')) {
      waiting += 1;
      if (waiting === 2) go?.();
      await both;
    }
    const done = last.then(async () => await at.run(call));
    last = done.catch(() => undefined);
    return await done;
  };
  const whose = await Promise.all(['ann', 'bob'].map(async (owner) => await claim(await ofOwner(at, owner, together), key)));
  expect(whose).toEqual(['several', 'several']);
  expect(ownershipOf(claimsOf(at.issue(key).labels), 'ship', { owner: 'ann', anonymousClaims: 'ours' })).toBe('several');
});

it('a claim without an owner is everybody\'s, as before, and gets one when it is taken', async () => {
  const at = scene();
  const key = await at.makeTicket({ title: 'Fix the login', labels: ['wf:ship'] });
  const repo = await ofOwner(at, 'ann');
  const [polled] = await repo.poll({ signal: new AbortController().signal });
  expect(ownershipOf(claimsOf(polled?.labels ?? []), 'ship', repo)).toBe('ours');
  expect(await claim(repo, key)).toBe('ours');
  expect(ownershipOf(claimsOf(at.issue(key).labels), 'ship', await ofOwner(at, 'bob'))).toBe('others');
  expect((await ofOwner(at, undefined)).owner).toBeUndefined();
});
