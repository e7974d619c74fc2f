import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { attemptId, logicalOf, logicalRunId } from '../../src/server/ids.js';
import { claimProblem } from '../../src/server/routing/claim-problem.js';
import { claimLabels, claimsOf, ownershipOf, owns } from '../../src/server/routing/claims.js';
import { route, type Candidate } from '../../src/server/routing/route.js';
import type { Ticket } from '../../src/task/port.js';

const digest = (owner: string): string => createHash('sha256').update(owner).digest('hex');

function ticket(labels: readonly string[], more: Partial<Ticket> = {}): Ticket {
  return { id: 'K-1', key: 'K-1', title: 'A ticket', status: 'To Do', done: false, blocked: false, labels, assignee: [], ...more };
}

const all = (name: string): Candidate => ({ name, matches: () => true });
const none = (name: string): Candidate => ({ name, matches: () => false });

describe('the router', () => {
  it.each([
    ['no claim and nothing fits', ticket([]), [none('a'), none('b')], undefined, { type: 'no-match' }],
    ['no claim and no workflow at all', ticket([]), [], undefined, { type: 'no-match' }],
    ['no claim and one fits', ticket([]), [none('a'), all('b')], undefined, { type: 'claim', workflow: 'b' }],
    ['no claim and several fit', ticket([]), [all('b'), all('a')], undefined, { type: 'ambiguous', workflows: ['a', 'b'] }],
    ['no claim, and blocked', ticket([], { blocked: true }), [all('a')], undefined, { type: 'no-match' }],
    ['no claim, and done', ticket([], { done: true }), [all('a')], undefined, { type: 'no-match' }],
    ['a claim, whatever the filters say', ticket(['wf:a']), [none('a'), all('b')], undefined, { type: 'already-claimed', workflow: 'a' }],
    ['a claim of a ticket that is blocked by now', ticket(['wf:a'], { blocked: true }), [none('a')], undefined, { type: 'already-claimed', workflow: 'a' }],
    ['a claim with the owner of this server', ticket([`wf-owner:a:${digest('ann@example.com')}`, 'wf:a']), [none('a')], ' Ann@Example.com ', { type: 'already-claimed', workflow: 'a' }],
    ['a claim without an owner, where there are owners', ticket(['wf:a']), [all('a')], 'ann', { type: 'claim-owner-mismatch', workflow: 'a', ownership: 'nobody' }],
    ['a claim of somebody else', ticket([`wf-owner:a:${digest('bob')}`, 'wf:a']), [all('a')], 'ann', { type: 'claim-owner-mismatch', workflow: 'a', ownership: 'others' }],
    ['a claim with two owners', ticket([`wf-owner:a:${digest('ann')}`, `wf-owner:a:${digest('bob')}`, 'wf:a']), [all('a')], 'ann', { type: 'claim-owner-mismatch', workflow: 'a', ownership: 'several' }],
    ['a claim with the owner of another workflow', ticket([`wf-owner:b:${digest('ann')}`, 'wf:a']), [all('a')], 'ann', { type: 'claim-owner-mismatch', workflow: 'a', ownership: 'nobody' }],
    ['a claim of a workflow that is not here', ticket(['wf:gone']), [all('a')], undefined, { type: 'invalid-claim', reason: 'It is claimed by gone, which is no healthy workflow of this repository.' }],
    ['two claims', ticket(['wf:a', 'wf:b']), [all('a'), all('b')], undefined, { type: 'invalid-claim', reason: 'It carries the claims of 2 workflows: a, b.' }],
    ['the same claim twice', ticket(['wf:a', 'wf:a']), [all('a')], undefined, { type: 'already-claimed', workflow: 'a' }],
  ] as const)('%s', (_name, given, candidates, owner, expected) => {
    expect(route(given, { candidates, owner })).toEqual(expected);
  });

  it('writes the owner before the claim, and reads both back', () => {
    const labels = claimLabels('a', 'Ann@Example.com');
    expect(labels).toEqual([`wf-owner:a:${digest('ann@example.com')}`, 'wf:a']);
    expect(claimLabels('a', undefined)).toEqual(['wf:a']);
    expect(owns(claimsOf(labels), 'a', { owner: 'ann@example.com' })).toBe(true);
    expect(claimsOf(['wf-owner:a:short', 'bug']).owners.size).toBe(0);
  });
});

it('a claim that names nobody is ours only where there were no owners before', () => {
  const anonymous = { owner: 'ann', anonymousClaims: 'ours' } as const;
  const whose = (labels: readonly string[]) => ownershipOf(claimsOf(labels), 'a', anonymous);
  expect([whose(['wf:a']), whose(claimLabels('a', 'ann')), whose(claimLabels('a', 'bob')), whose([...claimLabels('a', 'bob'), ...claimLabels('a', 'ann')])]).toEqual(['ours', 'ours', 'others', 'several']);
  expect(route(ticket(['wf:a']), { candidates: [all('a')], ...anonymous })).toEqual({ type: 'already-claimed', workflow: 'a' });
});

it('a claim that nobody follows is told with a command that a shell reads as it is meant', () => {
  const told = (key: string) => claimProblem({ repo: 'app', ticket: key, workflow: 'a', ownership: 'nobody' })[0]?.hint;
  expect(told('K-1')).toContain('`relay-flow run claim --ticket K-1 --repo app`');
  expect(told('Fix $it')).toContain("--ticket 'Fix $it' --repo app`");
});

describe('ids', () => {
  it('keep parts apart whatever they hold', () => {
    expect(logicalRunId({ repo: 'a/b', workflow: 'w', ticket: 'K 1~attempt~2' })).toBe('a%2Fb/w/K%201%7Eattempt%7E2');
    expect(attemptId('a/w/K-1', 1)).toBe('a/w/K-1');
    expect(attemptId('a/w/K-1', 3)).toBe('a/w/K-1~attempt~3');
    expect(logicalOf('a/w/K-1~attempt~3')).toBe('a/w/K-1');
    expect(logicalOf('a/w/K-1')).toBe('a/w/K-1');
  });
});
