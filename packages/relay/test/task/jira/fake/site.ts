import { typed } from './adf.js';

/** What a Jira site knows, and what people do in it with a browser. */

export interface FakeUser {
  readonly accountId: string;
  readonly email: string;
  readonly displayName: string;
  /** The address is shown to others. */
  readonly shown: boolean;
  readonly active: boolean;
}

export type Category = 'new' | 'indeterminate' | 'done';

export interface FakeTransition {
  id: string;
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  /** Fields on its screen; `required` ones must be given. */
  readonly screen?: Readonly<Record<string, { readonly required: boolean }>>;
}

export interface FakeType {
  readonly id: string;
  readonly name: string;
  readonly subtask: boolean;
  readonly initial: string;
  readonly statuses: readonly string[];
  readonly transitions: FakeTransition[];
}

export interface FakeIssue {
  readonly id: string;
  readonly key: string;
  readonly project: string;
  readonly type: FakeType;
  readonly parent: string | undefined;
  summary: string;
  status: string;
  labels: string[];
  assignee: string | null;
  description: unknown;
  component: string | undefined;
  blockedBy: string[];
  readonly comments: { readonly id: string; readonly author: string; readonly body: unknown }[];
}

export const ME: FakeUser = { accountId: '5b10a2844c20165700ede21a', email: 'server.account@example.com', displayName: 'The Server', shown: true, active: true };
export const ANA: FakeUser = { accountId: '5b10ac8d82e05b22cc7d4ef5', email: 'ana@example.com', displayName: 'Ana Alba', shown: true, active: true };
export const BO: FakeUser = { accountId: '557058:f58131cb-b67d-43c7-b30d-6b58d40bd077', email: 'bo@example.com', displayName: 'Bo Berg', shown: false, active: true };
const GONE: FakeUser = { accountId: '5c20ac8d82e05b22cc7d4eaa', email: 'gone@example.com', displayName: 'Gone Gil', shown: true, active: false };

export const CATEGORIES: Readonly<Record<string, Category>> = { Open: 'new', Backlog: 'new', Building: 'indeterminate', 'On Hold': 'indeterminate', Shipped: 'done' };

/** Unlike any convention: no `To Do`, and subtasks begin where tickets cannot be. */
function types(): FakeType[] {
  const open = ['Open', 'Building', 'Shipped'];
  const ways = (from: readonly string[], first: number, screen?: FakeTransition['screen']): FakeTransition[] => [
    { id: String(first), name: 'Put back', from: [...from.filter((one) => one !== 'Open'), 'On Hold'], to: 'Open' },
    { id: String(first + 10), name: 'Take up', from: from.filter((one) => one !== 'Building'), to: 'Building', ...(screen === undefined ? {} : { screen }) },
    { id: String(first + 20), name: 'Building', from: from.filter((one) => one !== 'Shipped'), to: 'Shipped' },
  ];
  return [
    { id: '10001', name: 'Task', subtask: false, initial: 'Open', statuses: [...open, 'On Hold'], transitions: ways(open, 11) },
    { id: '10002', name: 'Bug', subtask: false, initial: 'Open', statuses: [...open, 'On Hold'], transitions: ways(open, 11) },
    { id: '10003', name: 'Subtask', subtask: true, initial: 'Backlog', statuses: ['Backlog', ...open, 'On Hold'], transitions: ways(['Backlog', ...open], 101, { assignee: { required: false } }) },
  ];
}

export class FakeSite {
  readonly users: FakeUser[] = [ME, ANA, BO, GONE];
  readonly projects = new Map([['APP', { name: 'Application', components: ['app', 'a "quoted" \\ one'], types: types() }], ['OPS', { name: 'Operations', components: ['ops'], types: types() }]]);
  readonly issues = new Map<string, FakeIssue>();
  /** Even our own address is hidden. */
  emailHidden = false;
  #id = 10_000;
  #number = 0;

  type(project: string, name: string): FakeType {
    const type = this.projects.get(project)?.types.find((one) => one.name === name || one.id === name);
    if (type === undefined) throw new TypeError(`no type ${name} in ${project}`);
    return type;
  }

  /** Numbers are used up by creates that fail, too. */
  nextNumber(): number {
    this.#number += 1;
    return this.#number;
  }

  nextId(): string {
    this.#id += 1;
    return String(this.#id);
  }

  add(issue: { readonly project?: string; readonly type?: string; readonly summary: string; readonly parent?: string; readonly labels?: readonly string[]; readonly assignee?: string | null; readonly description?: unknown; readonly component?: string; readonly blockedBy?: readonly string[] }): FakeIssue {
    const project = issue.project ?? 'APP';
    const type = this.type(project, issue.type ?? 'Task');
    const made: FakeIssue = {
      id: this.nextId(), key: `${project}-${this.nextNumber()}`, project, type, parent: issue.parent, summary: issue.summary, status: type.initial, labels: [...(issue.labels ?? [])],
      assignee: issue.assignee ?? null, description: issue.description ?? null, component: 'component' in issue ? issue.component : 'app', blockedBy: [...(issue.blockedBy ?? [])], comments: [],
    };
    this.issues.set(made.key, made);
    return made;
  }

  get(key: string): FakeIssue {
    const issue = this.issues.get(key);
    if (issue === undefined) throw new TypeError(`no issue ${key}`);
    return issue;
  }

  children(key: string): readonly FakeIssue[] {
    return [...this.issues.values()].filter(({ parent }) => parent === key);
  }

  comment(key: string, body: unknown, author = ANA.accountId): { readonly id: string } {
    const comment = { id: this.nextId(), author, body: typeof body === 'string' ? typed(body) : body };
    this.get(key).comments.push(comment);
    return comment;
  }

  user(word: string): FakeUser | undefined {
    return this.users.find(({ accountId, email, displayName }) => [accountId, email, displayName].some((one) => one.toLowerCase() === word.toLowerCase()));
  }

  /** An administrator gives all transitions of a type other ids. */
  renumber(project: string, type: string): void {
    for (const transition of this.type(project, type).transitions) transition.id = String(Number(transition.id) + 500);
  }
}
