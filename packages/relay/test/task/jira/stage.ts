import { isRelayError, type RelayError } from '../../../src/errors/relay-error.js';
import { createJiraTaskSystem } from '../../../src/task/jira/index.js';
import type { RepoBinding, TaskRepo, TaskSystem } from '../../../src/task/port.js';
import { FakeJira } from './fake/server.js';

export const SETTINGS = { project: 'APP', component: 'app', statusDefaults: { start: 'Open', work: 'Building', end: 'Shipped' } } as const;

export function bindingOf(ownTaskConfig: unknown, root: unknown = {}): RepoBinding {
  return { name: 'app', path: '/repositories/app', taskConfig: { ...(root as object), ...(ownTaskConfig as object) }, ownTaskConfig: ownTaskConfig as never };
}

/** A site, and what the server sees of it. Waits between attempts are noted, not waited. */
export interface JiraStage {
  readonly jira: FakeJira;
  readonly tasks: TaskSystem;
  readonly repo: TaskRepo;
  readonly waits: readonly number[];
  /** Milliseconds since the epoch; may be moved. */
  readonly clock: { at: number };
  readonly another: () => TaskSystem;
  readonly close: () => Promise<void>;
}

export function newTaskSystem(jira: FakeJira, waits: number[] = [], clock: { at: number } = { at: Date.parse('2026-11-30T12:00:00Z') }): TaskSystem {
  return createJiraTaskSystem({
    credentials: jira.credentials,
    random: () => 0,
    clock: { now: () => clock.at, sleep: async (ms) => await Promise.resolve(void waits.push(ms)) },
  });
}

/** `prepare` changes the site before the repository is opened. */
export async function stage(prepare: (jira: FakeJira) => void = () => undefined, settings: unknown = SETTINGS): Promise<JiraStage> {
  const jira = await FakeJira.open();
  prepare(jira);
  const waits: number[] = [];
  const clock = { at: Date.parse('2026-11-30T12:00:00Z') };
  const opened: TaskSystem[] = [];
  const another = (): TaskSystem => {
    const tasks = newTaskSystem(jira, waits, clock);
    opened.push(tasks);
    return tasks;
  };
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((tasks) => tasks.close()));
    await jira.close();
  };
  const tasks = another();
  try {
    return { jira, tasks, waits, clock, another, close, repo: await tasks.openRepo(bindingOf(settings)) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Mailboxes for `implement` and `review`. */
export function specs(ticket: string, description = 'Do it.', assignee?: string) {
  return ['implement', 'review'].map((node) => ({ node, title: `${ticket}:${node}`, description, ...(assignee === undefined ? {} : { assignee }) }));
}

/** What the call was refused with. */
export async function refusal(call: Promise<unknown>): Promise<RelayError> {
  const error = await call.then(() => undefined, (reason: unknown) => reason);
  if (!isRelayError(error)) throw new Error(`expected a RelayError, got ${String(error)}`);
  return error;
}

export const soon = (): AbortSignal => AbortSignal.timeout(30_000);
