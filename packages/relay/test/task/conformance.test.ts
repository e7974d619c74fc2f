import { describe, expect, test } from 'vitest';
import { isRelayError, RelayError } from '../../src/errors/relay-error.js';
import { taskSystemConformance, type TaskSystemSetUp } from '../../src/task/conformance.js';
import type { TaskRepo, Ticket } from '../../src/task/port.js';
import { lacks, setUp } from './files/set-up.js';

/** A task system with one fault, made of one without. */
type Fault = (repo: TaskRepo) => Partial<TaskRepo>;

/** The repository with what is faulty in place of what is right. */
function faulty(repo: TaskRepo, fault: Fault): TaskRepo {
  const replaced: Partial<TaskRepo> = fault(repo);
  return new Proxy(repo, {
    get(target, name) {
      const value: unknown = name in replaced ? Reflect.get(replaced, name) : Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(name in replaced ? replaced : target) as unknown) : value;
    },
  });
}

async function withFault(fault: Fault): Promise<TaskSystemSetUp> {
  const right = await setUp();
  const another = () => {
    const tasks = right.another();
    return { ...tasks, openRepo: async (repo: Parameters<typeof tasks.openRepo>[0]) => faulty(await tasks.openRepo(repo), fault) };
  };
  return { ...right, another, tasks: another() };
}

/** Whether the suite notices it, in the scenario that is about it. */
async function noticed(fault: Fault, scenario: string): Promise<boolean> {
  const bodies: (() => Promise<void>)[] = [];
  taskSystemConformance({ name: 'x', lacks, setUp: async () => await withFault(fault), test: (name, body) => void (name === `x: ${scenario}` && bodies.push(body)) });
  expect(bodies).toHaveLength(1);
  return await Promise.all(bodies.map(async (body) => await body())).then(() => false, () => true);
}

const tried = async <T>(call: () => Promise<T>): Promise<T> => await call().catch((error: unknown) => {
  throw isRelayError(error) && error.kind === 'transient' ? new RelayError('task_conflict', error.text) : error;
});

const FAULTS: readonly (readonly [what: string, fault: Fault, scenario: string])[] = [
  ['shows blocked tickets', (repo) => ({ poll: async (args) => [...(await repo.poll(args)), ...(await waiting(repo))] }), 'a blocked ticket is polled once what it waits for is done, and always when it is claimed'],
  ['hides claimed tickets that are blocked', (repo) => ({ poll: async (args) => (await repo.poll(args)).filter(({ blocked }) => !blocked) }), 'a blocked ticket is polled once what it waits for is done, and always when it is claimed'],
  ['polls what it polled before', (repo) => ({ poll: remembering(repo) }), 'what a person changes is seen by the next poll and view'],
  ['claims with half of the labels', (repo) => ({ claim: async ({ key, labels }) => await repo.claim({ key, labels: labels.slice(1) }) }), 'a claim is there for everybody at once, in the poll and in a view'],
  ['does not read again after a claim', (repo) => ({ claim: async (args) => ({ ...(await repo.claim(args)), labels: [] }) }), 'a claim is there for everybody at once, in the poll and in a view'],
  ['leaves descriptions as they are', (repo) => ({ ensureMailboxes: async ({ ticket, mailboxes }) => await repo.ensureMailboxes({ ticket, mailboxes: mailboxes.map((spec) => ({ ...spec, description: 'Old.' })) }) }), 'a mailbox with another description or assignee is brought up to date, and keeps its comments and status'],
  ['takes an absent assignee for nobody', (repo) => ({ ensureMailboxes: async ({ ticket, mailboxes }) => await repo.ensureMailboxes({ ticket, mailboxes: mailboxes.map((spec) => ({ assignee: '', ...spec })) }) }), 'an assignee that is not named is left alone, and an empty one is nobody'],
  ['assigns nothing in a transition', (repo) => ({ transition: async ({ assignee: _, ...args }) => await repo.transition(args) }), 'the assignee gets the mailbox, also when it is in the state already'],
  ['moves only the ticket', (repo) => ({ transition: async ({ mailbox: _, ...args }) => await repo.transition(args) }), 'a ticket goes its way from start to end, and every step can be repeated'],
  ['reopens the ticket with its mailboxes', (repo) => ({ reopenMailboxes: async (args) => await repo.resetForRecovery(args) }), 'mailboxes of an earlier attempt are opened again, whatever their state, and keep their comments'],
  ['recovers only the mailboxes', (repo) => ({ resetForRecovery: async (args) => await repo.reopenMailboxes(args) }), 'after the journal was lost, a ticket and its mailboxes can begin again'],
  ['comments twice', (repo) => ({ addComment: async (args) => await repo.addComment({ ...args, marker: `${args.marker}-${Math.random()}` }) }), 'a comment ends with its marker and is added once'],
  ['always says that it commented', (repo) => ({ addComment: async (args) => ({ ...(await repo.addComment(args)), added: true }) }), 'a comment ends with its marker and is added once'],
  ['reads a part of the markers', (repo) => ({ markers: async (args) => (await repo.markers(args)).slice(1) }), 'comments with other markers stand beside it, in order'],
  ['is surprised by what is missing', (repo) => ({ view: async ({ key }) => (await repo.view({ key })) ?? missing(key) }), 'a ticket that does not exist is missing, whatever is asked of it'],
  ['calls every failure a conflict', (repo) => ({ addComment: async (args) => await tried(async () => await repo.addComment(args)) }), 'a comment whose answer was lost is added once'],
  ['tells what was written', (repo) => ({ addComment: async (args) => await repo.addComment(args).catch((error: unknown) => telling(error, args.body)) }), 'errors say which ticket, and nothing that is secret or was written'],
  ['does not hear that a poll is given up', (repo) => ({ poll: async () => await repo.poll({ signal: AbortSignal.timeout(30_000) }) }), 'a poll that is given up ends'],
  ['shows the comments as what a ticket asks for', (repo) => ({ view: async (args) => withText(await repo.view(args)) }), 'a view has what a ticket asks for, without the comments'],
];

/** Tickets of the first numbers, which the set-up gives, that are blocked and in no poll. */
async function waiting(repo: TaskRepo): Promise<readonly Ticket[]> {
  const tickets = await Promise.all([1, 2, 3, 4].map(async (number) => await repo.view({ key: `APP-${number}` })));
  return tickets.filter((ticket) => ticket?.blocked === true && ticket.labels.length === 0) as readonly Ticket[];
}

function remembering(repo: TaskRepo): TaskRepo['poll'] {
  let first: Promise<readonly Ticket[]> | undefined;
  return async (args) => await (first ??= repo.poll(args));
}

function missing(key: string): never {
  throw new RelayError('task_missing', `There is no ${key}.`);
}

function telling(error: unknown, body: string): never {
  throw isRelayError(error) ? new RelayError(error.code, `${error.text} It was: ${body}.`, { evidence: error.evidence }) : error;
}

function withText(ticket: Ticket | undefined): Ticket | undefined {
  return ticket === undefined ? undefined : { ...ticket, text: `${ticket.text ?? ''} of-an-agent` };
}

describe('the suite of task systems notices a system that', () => {
  test.each(FAULTS)('%s', async (_, fault, scenario) => {
    expect([await noticed(() => ({}), scenario), await noticed(fault, scenario)]).toEqual([false, true]);
  });

  test('leaves out what is excluded, with the reason, and knows all of its scenarios', () => {
    const [registered, left]: [string[], string[]] = [[], []];
    const options = { name: 'x', setUp, lacks, test: (name: string) => void registered.push(name), leftOut: (name: string, reason: string) => void left.push(`${name}: ${reason}`) };
    taskSystemConformance({ ...options, exclusions: { 'there can be many comments': 'it is slow' } });
    expect(left).toContain('there can be many comments: it is slow');
    expect(registered).not.toContain('x: there can be many comments');
    expect(() => taskSystemConformance({ ...options, exclusions: { 'no such scenario': 'x' } })).toThrow('has no scenario no such scenario');
  });
});
