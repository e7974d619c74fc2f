import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonLines, wholeLines } from 'test-tools';
import { onTestFinished } from 'vitest';
import { execute, type Execute } from '../../../src/process/execute.js';
import { createBeadsTaskSystem } from '../../../src/task/beads/index.js';
import type { NewTicket, PersonsEdit, SeenTicket } from '../../../src/task/conformance.js';
import type { MailboxSpec, RepoBinding, TaskRepo, TaskSystem, Ticket } from '../../../src/task/port.js';
import { within } from './within.js';

const BD = fileURLToPath(new URL('fake/bd.mjs', import.meta.url));

/** How the stand-in behaves, as one or another version of `bd` does. Absent: as 1.2. */
export interface Behavior {
  /** Lists in `{schema_version, items}`. */
  wrap?: boolean;
  /** A list of one as the one. */
  bareObjects?: boolean;
  showObject?: boolean;
  /** Null instead of an empty list of comments. */
  nullLists?: boolean;
  /** Lines before the answer. */
  notices?: boolean;
  compact?: boolean;
  /** An answer that is none. */
  garbage?: boolean;
  /** Failures as JSON. */
  jsonErrors?: boolean;
  /** Children in spite of `--no-parent`. */
  childrenAnyway?: boolean;
  /** Tells the parent only among the dependencies. */
  noParentKey?: boolean;
  /** What `show` tells of dependencies has no states. */
  plainEdges?: boolean;
  /** Does not know `--allow-empty-description`. */
  old?: boolean;
  /** Leaves a process behind that holds its output open. */
  daemon?: boolean;
  /** Never ends. */
  hang?: boolean;
  fail?: Failing;
}

export interface Failing {
  text: string;
  code?: string;
  /** Commands; all that write by default. */
  verbs?: string[];
  /** So many succeed first. */
  after?: number;
  /** Fails after its effect: the answer is lost. */
  effect?: boolean;
  always?: boolean;
  /** Repeats arguments and input. */
  echo?: boolean;
}

export interface StoredIssue {
  id: string;
  title: string;
  description?: string;
  status: string;
  issue_type: string;
  assignee?: string;
  labels: string[];
  parent?: string;
  defer_until?: string;
  created_at: string;
  updated_at: string;
  children?: number;
}

interface StoredEdge {
  issue_id: string;
  depends_on_id: string;
  type: string;
}

interface State {
  prefix: string;
  next: number;
  issues: Record<string, StoredIssue>;
  edges: StoredEdge[];
  comments: Record<string, { id: number; issue_id: string; author: string; text: string; created_at: string }[]>;
  behavior: Behavior;
}

export interface LoggedCall {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly input: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/** A repository with a Beads workspace and a strict stand-in for `bd` on a PATH of its own. Its methods are what people do past relay-flow. */
export class BeadsScene {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'bd-')));
  readonly path = join(this.folder, 'app');
  readonly workspace = join(this.path, '.beads');
  readonly bin = join(this.folder, 'bin');
  readonly env: Readonly<Record<string, string>>;
  /** How `bd` is called where a test does not say. */
  readonly run: Execute;

  /** `apart`: each call is a process of its own, as in the world. */
  constructor(more: Readonly<Record<string, string>> = {}, apart = false) {
    this.run = apart ? execute : within(this.workspace);
    mkdirSync(this.workspace, { recursive: true });
    mkdirSync(this.bin);
    symlinkSync(BD, join(this.bin, 'bd'));
    this.env = { PATH: `${this.bin}${delimiter}${process.env['PATH'] ?? ''}`, HOME: this.folder, ...more };
    this.#write({ prefix: 'app', next: 0, issues: {}, edges: [], comments: {}, behavior: {} });
  }

  binding(name = 'app', own: RepoBinding['ownTaskConfig'] = { beadsDir: this.workspace }): RepoBinding {
    return { name, path: this.path, taskConfig: own, ownTaskConfig: own };
  }

  get state(): State {
    return JSON.parse(readFileSync(join(this.workspace, 'beads.json'), 'utf8')) as State;
  }

  /** Waits for a bd that is at it, and lets the next one wait. */
  change(how: (state: State) => void): void {
    const lock = join(this.workspace, 'lock');
    for (let turns = 0; !taken(lock); turns += 1) {
      if (turns > 10_000) throw new Error(`The workspace is held by ${readlinkSync(lock)}.`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
    try {
      const { state } = this;
      how(state);
      this.#write(state);
    } finally {
      rmSync(lock);
    }
  }

  behave(behavior: Behavior): void {
    this.change((state) => Object.assign(state.behavior, behavior));
  }

  failNext(fail: Failing): void {
    this.behave({ fail });
  }

  tasks(run: Execute = this.run): TaskSystem {
    return createBeadsTaskSystem({ env: this.env, execute: run });
  }

  async open(name = 'app'): Promise<TaskRepo> {
    return await this.tasks().openRepo(this.binding(name));
  }

  get calls(): readonly LoggedCall[] {
    return jsonLines(join(this.workspace, 'calls.jsonl'));
  }

  /** Arguments of the calls of a command. */
  callsOf(verb: string): readonly (readonly string[])[] {
    return this.calls.flatMap(({ argv }) => (argv[0] === verb ? [argv] : []));
  }

  forgetCalls(): void {
    rmSync(join(this.workspace, 'calls.jsonl'), { force: true });
  }

  /** Calls that ran while another one did. */
  get overlaps(): string {
    const log = join(this.workspace, 'overlaps');
    return existsSync(log) ? readFileSync(log, 'utf8') : '';
  }

  /** Adds an issue as it stands; answers with its id. */
  add({ id, parent, ...issue }: Partial<StoredIssue>): string {
    let made = '';
    this.change((state) => {
      made = id ?? (parent === undefined ? `${state.prefix}-${(state.next += 1)}` : `${parent}.${(state.issues[parent] ?? { children: 0 }).children = (state.issues[parent]?.children ?? 0) + 1}`);
      const at = new Date().toISOString();
      state.issues[made] = { title: `Issue ${made}`, status: 'open', issue_type: 'task', labels: [], created_at: at, updated_at: at, ...issue, id: made, ...(parent === undefined ? {} : { parent }) };
      if (parent !== undefined) state.edges.push({ issue_id: made, depends_on_id: parent, type: 'parent-child' });
    });
    return made;
  }

  issue(id: string): StoredIssue {
    const issue = this.state.issues[id];
    if (issue === undefined) throw new Error(`There is no issue ${id}.`);
    return issue;
  }

  set(id: string, change: Partial<StoredIssue>): void {
    this.change(({ issues }) => Object.assign(issues[id] ?? {}, change));
  }

  makeTicket = async ({ title, labels = [], blockedBy = [], assignee }: NewTicket): Promise<string> => {
    const id = this.add({ title, description: `${title} is to be done.`, labels: [...labels, 'repo:app'], ...(assignee === undefined ? {} : { assignee }) });
    this.change(({ edges }) => edges.push(...blockedBy.map((blocker) => ({ issue_id: id, depends_on_id: blocker, type: 'blocks' }))));
    return await Promise.resolve(id);
  };

  look = async (key: string): Promise<SeenTicket> => {
    const { issues, comments } = this.state;
    const seen = ({ id, title, status, labels, assignee = '', description = '' }: StoredIssue): SeenTicket => ({
      key: id, title, status, labels, assignee, description,
      comments: (comments[id] ?? []).map(({ text }) => text),
      mailboxes: Object.values(issues).filter(({ parent }) => parent === id).toSorted((a, b) => (a.title < b.title ? -1 : 1)).map(seen),
    });
    return await Promise.resolve(seen(this.issue(key)));
  };

  edit = async (key: string, { status, labels, description }: PersonsEdit): Promise<void> => {
    const kept = this.issue(key).labels.filter((label) => label.startsWith('repo:'));
    this.set(key, { ...(status === undefined ? {} : { status }), ...(labels === undefined ? {} : { labels: [...labels, ...kept] }), ...(description === undefined ? {} : { description }) });
    return await Promise.resolve();
  };

  comment = async (key: string, text: string): Promise<void> => {
    this.issue(key);
    this.change((state) => (state.comments[key] ??= []).push({ id: (state.next += 1), issue_id: key, author: 'Ana', text, created_at: new Date().toISOString() }));
    return await Promise.resolve();
  };

  /** A ticket with mailboxes for `implement` and `review`. */
  async withMailboxes(repo: TaskRepo): Promise<{ readonly ticket: string; readonly implement: string; readonly review: string }> {
    const ticket = await this.makeTicket({ title: 'Fix the login' });
    const { implement = '', review = '' } = await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket) });
    return { ticket, implement, review };
  }

  remove = async (): Promise<void> => {
    const daemons = join(this.workspace, 'daemons');
    for (const pid of wholeLines(daemons)) process.kill(Number(pid), 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    return await Promise.resolve();
  };

  #write(state: State): void {
    const file = join(this.workspace, 'beads.json');
    writeFileSync(`${file}.person`, JSON.stringify(state));
    renameSync(`${file}.person`, file);
  }
}

function taken(lock: string): boolean {
  try {
    symlinkSync('person', lock);
    return true;
  } catch {
    dropIfDead(lock);
    return false;
  }
}

/** A server that stops ends the bd that is at it. */
function dropIfDead(lock: string): void {
  try {
    const [, pid] = /^bd:(\d+)$/.exec(readlinkSync(lock)) ?? [];
    if (pid !== undefined) process.kill(Number(pid), 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') rmSync(lock, { force: true });
  }
}

/** A scene that goes with the test. */
export function scene(env: Readonly<Record<string, string>> = {}, apart = false): BeadsScene {
  const made = new BeadsScene(env, apart);
  onTestFinished(made.remove);
  return made;
}

/** The same, where each call of `bd` is a process of its own. */
export const sceneApart = (env: Readonly<Record<string, string>> = {}): BeadsScene => scene(env, true);

export function specs(ticket: string, description = 'Do what the ticket says.', assignee?: string): readonly MailboxSpec[] {
  return ['implement', 'review'].map((node) => ({ node, title: `${ticket}:${node}`, description, ...(assignee === undefined ? {} : { assignee }) }));
}

export async function polled(repo: TaskRepo): Promise<readonly Ticket[]> {
  return await repo.poll({ signal: AbortSignal.timeout(60_000) });
}

export async function polledKeys(repo: TaskRepo): Promise<readonly string[]> {
  return (await polled(repo)).map(({ key }) => key).toSorted();
}
