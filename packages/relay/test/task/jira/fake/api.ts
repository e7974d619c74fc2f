import { adfProblem, isMap, words } from './adf.js';
import { queryOf } from './jql.js';
import { CATEGORIES, ME, type FakeIssue, type FakeSite, type FakeUser } from './site.js';

export interface Asked {
  readonly method: string;
  /** Without `/rest/api/3/`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call that no correct client makes: answered with 400, and remembered, so that a test fails whatever the client makes of it. */
export class WrongCall extends Error {}

const LIMIT = 32_767;
const FIELDS = ['summary', 'status', 'issuetype', 'labels', 'assignee', 'subtasks', 'issuelinks', 'description', 'key'];

/** How the search answers. */
export interface SearchManners {
  /** Fewer than were asked for, as Jira may. */
  pageSize: number;
  /** The last page says nothing about being the last. */
  lastPageIsSilent: boolean;
  /** Gives the same token for ever. */
  repeatsToken: boolean;
  /** What the index knows; `undefined`: everything at once. */
  index: ReadonlyMap<string, FakeIssue> | undefined;
}

/** The REST interface over a site. Refuses unknown paths, methods, parameters and fields. */
export class FakeApi {
  readonly #site: FakeSite;
  readonly search: SearchManners = { pageSize: 100, lastPageIsSilent: false, repeatsToken: false, index: undefined };
  /** Jira's count of a text may be another than ours. */
  countOf: (text: string) => number = (text) => text.length;
  readonly #tokens = new Map<string, { readonly jql: string; readonly offset: number }>();

  constructor(site: FakeSite) {
    this.#site = site;
  }

  answer(asked: Asked): Answered {
    const parts = asked.path.split('/').map(decodeURIComponent);
    const [first, second, third] = parts;
    const route = `${asked.method} ${first === 'issue' && second !== 'bulk' && second !== undefined ? ['issue', '{key}', ...parts.slice(2)].join('/') : first === 'project' && third !== undefined ? `project/{key}/${third}` : asked.path}`;
    switch (route) {
      case 'GET myself':
        takes(asked, []);
        return { status: 200, body: { accountId: ME.accountId, displayName: ME.displayName, active: true, ...(this.#site.emailHidden ? {} : { emailAddress: ME.email }) } };
      case 'POST search/jql':
        return this.#search(asked);
      case 'POST search':
      case 'GET search':
        return refused(410, 'The requested API has been removed. Please migrate to the /rest/api/3/search/jql API.');
      case 'GET project/search':
        return this.#projects(asked);
      case 'GET project/{key}/statuses':
        return this.#statuses(asked, second ?? '');
      case 'GET user/assignable/search':
        return this.#assignable(asked);
      case 'POST issue/bulk':
        return this.#bulk(asked);
      default:
        return this.#issueRoute(asked, route, second ?? '');
    }
  }

  #issueRoute(asked: Asked, route: string, key: string): Answered {
    const routes: Record<string, (issue: FakeIssue) => Answered> = {
      'GET issue/{key}': (issue) => this.#read(asked, issue),
      'PUT issue/{key}': (issue) => this.#edit(asked, issue),
      'GET issue/{key}/transitions': (issue) => this.#transitions(asked, issue),
      'POST issue/{key}/transitions': (issue) => this.#transition(asked, issue),
      'PUT issue/{key}/assignee': (issue) => this.#assign(asked, issue),
      'GET issue/{key}/comment': (issue) => this.#comments(asked, issue),
      'POST issue/{key}/comment': (issue) => this.#comment(asked, issue),
    };
    const serve = routes[route];
    if (serve === undefined) throw new WrongCall(`there is no ${asked.method} ${asked.path}`);
    const issue = this.#site.issues.get(key);
    return issue === undefined ? refused(404, 'Issue does not exist or you do not have permission to see it.') : serve(issue);
  }

  #read({ query, body }: Asked, issue: FakeIssue): Answered {
    takes({ query, body }, ['fields']);
    return { status: 200, body: this.#shown(issue, (query.get('fields') ?? FIELDS.join(',')).split(',')) };
  }

  #edit(asked: Asked, issue: FakeIssue): Answered {
    takes(asked, []);
    const body = map(asked.body, ['fields', 'update']);
    const { description } = map(body.fields ?? {}, ['description']);
    const { labels = [] } = map(body.update ?? {}, ['labels']);
    if (description === undefined && (labels as unknown[]).length === 0) throw new WrongCall('an edit of nothing');
    const added = (labels as unknown[]).map((one) => map(one, ['add']).add);
    const problem = (description === undefined ? undefined : this.#textProblem('description', description)) ?? labelProblem(added);
    if (problem !== undefined) return problem;
    if (description !== undefined) issue.description = description;
    for (const label of added as string[]) if (!issue.labels.includes(label)) issue.labels.push(label);
    return { status: 204 };
  }

  #transitions(asked: Asked, issue: FakeIssue): Answered {
    takes(asked, ['expand']);
    const expanded = asked.query.get('expand') === 'transitions.fields';
    const transitions = issue.type.transitions.filter(({ from }) => from.includes(issue.status));
    return { status: 200, body: { expand: 'transitions', transitions: transitions.map(({ id, name, to, screen = {} }) => ({ id, name, to: { name: to, statusCategory: { key: CATEGORIES[to] } }, ...(expanded ? { fields: screen } : {}) })) } };
  }

  #transition(asked: Asked, issue: FakeIssue): Answered {
    takes(asked, []);
    const body = map(asked.body, ['transition', 'fields']);
    const { id } = map(body.transition, ['id']);
    const transition = issue.type.transitions.find((one) => one.id === id);
    if (typeof id !== 'string') throw new WrongCall('a transition without an id');
    if (transition === undefined || !transition.from.includes(issue.status)) return refused(400, `It seems that you have tried to perform an illegal workflow operation: transition ${id} is not valid for this issue.`);
    const fields = isMap(body.fields) ? body.fields : {};
    const off = Object.keys(fields).find((name) => transition.screen?.[name] === undefined);
    if (off !== undefined) return fieldError(off, `Field '${off}' cannot be set. It is not on the appropriate screen, or unknown.`);
    const missing = Object.entries(transition.screen ?? {}).find(([name, { required }]) => required && fields[name] === undefined);
    if (missing !== undefined) return fieldError(missing[0], `${missing[0]} is required.`);
    if (fields.assignee !== undefined) {
      const { accountId } = map(fields.assignee, ['accountId']);
      const problem = this.#assigneeProblem(accountId);
      if (problem !== undefined) return problem;
      issue.assignee = accountId as string;
    }
    issue.status = transition.to;
    return { status: 204 };
  }

  #assign(asked: Asked, issue: FakeIssue): Answered {
    takes(asked, []);
    const body = map(asked.body, ['accountId']);
    if (!('accountId' in body)) throw new WrongCall('assigned without an account');
    const problem = body.accountId === null ? undefined : this.#assigneeProblem(body.accountId);
    if (problem !== undefined) return problem;
    issue.assignee = body.accountId as string | null;
    return { status: 204 };
  }

  #assigneeProblem(accountId: unknown): Answered | undefined {
    return this.#site.users.some((user) => user.accountId === accountId && user.active) ? undefined : fieldError('assignee', `User '${String(accountId)}' does not exist.`);
  }

  #comments({ query, body }: Asked, issue: FakeIssue): Answered {
    takes({ query, body }, ['startAt', 'maxResults', 'orderBy']);
    const [startAt, maxResults] = [Number(query.get('startAt') ?? 0), Math.min(100, Number(query.get('maxResults') ?? 50))];
    const comments = query.get('orderBy') === '-created' ? issue.comments.toReversed() : issue.comments;
    return { status: 200, body: { startAt, maxResults, total: comments.length, comments: comments.slice(startAt, startAt + maxResults).map(({ id, author, body: text }) => ({ id, author: { accountId: author }, body: text })) } };
  }

  #comment(asked: Asked, issue: FakeIssue): Answered {
    takes(asked, []);
    const { body } = map(asked.body, ['body']);
    return this.#textProblem('comment', body) ?? { status: 201, body: { id: this.#site.comment(issue.key, body, ME.accountId).id } };
  }

  #textProblem(field: string, value: unknown): Answered | undefined {
    const problem = adfProblem(value);
    if (problem !== undefined) {
      throw new WrongCall(`${field}: ${problem}`);
    }
    return this.countOf(words(value)) > LIMIT ? fieldError(field, 'CONTENT_LIMIT_EXCEEDED') : undefined;
  }

  #bulk(asked: Asked): Answered {
    takes(asked, []);
    const { issueUpdates } = map(asked.body, ['issueUpdates']);
    if (!Array.isArray(issueUpdates) || issueUpdates.length === 0 || issueUpdates.length > 50) throw new WrongCall('issueUpdates holds 1 to 50 issues');
    const issues: unknown[] = [];
    const errors: unknown[] = [];
    for (const [index, update] of issueUpdates.entries()) {
      const { fields } = map(update, ['fields']);
      const problem = this.#create(map(fields, ['project', 'parent', 'issuetype', 'summary', 'description', 'labels']));
      if ('key' in problem) issues.push({ id: problem.id, key: problem.key, self: `https://example.invalid/rest/api/3/issue/${problem.id}` });
      else errors.push({ status: problem.status, failedElementNumber: index, elementErrors: problem.body });
    }
    return issues.length === 0 ? { status: 400, body: { issues, errors } } : { status: 201, body: { issues, errors } };
  }

  #create(fields: Record<string, unknown>): FakeIssue | Answered {
    const { key: project } = map(fields.project, ['key']);
    const { key: parent } = map(fields.parent, ['key']);
    const { id: typeId } = map(fields.issuetype, ['id']);
    const { summary, description, labels = [] } = fields;
    const known = this.#site.projects.get(String(project));
    const type = known?.types.find(({ id }) => id === typeId);
    if (known === undefined || type === undefined) throw new WrongCall('created without project or type');
    if (typeof summary !== 'string' || summary === '' || summary.length > 255) throw new WrongCall('created without a summary');
    // A number is gone, whatever becomes of it.
    const problem = this.#textProblem('description', description) ?? labelProblem(labels as unknown[]) ?? (this.refuseSummaries.test(summary) ? fieldError('customfield_10001', 'Team is required.') : undefined);
    const above = this.#site.issues.get(String(parent));
    if (above === undefined || !type.subtask || above.type.subtask) {
      this.#site.nextNumber();
      return fieldError('parent', 'The parent cannot have this type below it.');
    }
    if (problem !== undefined) {
      this.#site.nextNumber();
      return problem;
    }
    return this.#site.add({ project: String(project), type: type.name, summary, parent: above.key, labels: labels as string[], description, ...(above.component === undefined ? {} : { component: above.component }) });
  }

  /** Summaries that cannot be created: a field that nobody fills in is required. */
  refuseSummaries = /^\b$/;

  #search(asked: Asked): Answered {
    takes(asked, []);
    const { jql, maxResults, fields, nextPageToken, reconcileIssues = [] } = map(asked.body, ['jql', 'maxResults', 'fields', 'nextPageToken', 'reconcileIssues']);
    if (typeof jql !== 'string') throw new WrongCall('a search without jql');
    if (!Array.isArray(reconcileIssues) || reconcileIssues.length > 50 || !reconcileIssues.every((id) => Number.isInteger(id))) throw new WrongCall('reconcileIssues holds at most 50 numbers');
    const matches = queryOf(jql, this.#site);
    if (typeof matches !== 'function') return refused(400, matches.refused);
    const page = typeof nextPageToken === 'string' ? this.#tokens.get(nextPageToken) : undefined;
    if (nextPageToken !== undefined && page?.jql !== jql) return refused(400, 'The page token is not of this query.');
    const { index, pageSize, repeatsToken, lastPageIsSilent } = this.search;
    const seen = [...this.#site.issues.values()].flatMap((issue) => (index === undefined || reconcileIssues.includes(Number(issue.id)) ? [issue] : [index.get(issue.key)].filter((one) => one !== undefined)));
    const found = seen.filter(matches);
    const offset = page?.offset ?? 0;
    const size = Math.min(pageSize, typeof maxResults === 'number' ? maxResults : 50);
    const issues = found.slice(offset, offset + size).map((issue) => (Array.isArray(fields) ? this.#shown(issue, fields as string[]) : { id: issue.id }));
    const last = offset + size >= found.length && !repeatsToken;
    const token = repeatsToken ? 'again' : `token-${this.#tokens.size + 1}`;
    if (!last) this.#tokens.set(token, { jql, offset: offset + size });
    return { status: 200, body: { issues, ...(last ? (lastPageIsSilent ? {} : { isLast: true }) : { nextPageToken: token, isLast: false }) } };
  }

  #projects({ query, body }: Asked): Answered {
    takes({ query, body }, ['startAt', 'maxResults']);
    const [startAt, size] = [Number(query.get('startAt') ?? 0), Math.min(1, Number(query.get('maxResults') ?? 50))];
    const all = [...this.#site.projects].map(([key, { name }]) => ({ key, name }));
    return { status: 200, body: { startAt, total: all.length, values: all.slice(startAt, startAt + size), isLast: startAt + size >= all.length } };
  }

  #statuses(asked: Asked, key: string): Answered {
    takes(asked, []);
    const project = this.#site.projects.get(key);
    if (project === undefined) return refused(404, `No project could be found with key '${key}'.`);
    return { status: 200, body: project.types.map(({ id, name, subtask, statuses }) => ({ id, name, subtask, statuses: statuses.map((status, index) => ({ id: `${id}${index}`, name: status, statusCategory: { key: CATEGORIES[status] } })) })) };
  }

  #assignable({ query, body }: Asked): Answered {
    takes({ query, body }, ['project', 'query', 'maxResults']);
    const wanted = (query.get('query') ?? '').toLowerCase();
    if (!this.#site.projects.has(query.get('project') ?? '') || wanted === '') throw new WrongCall('people of no project, or without a query');
    const found = this.#site.users.filter(({ accountId, email, displayName }) => accountId.toLowerCase() === wanted || email.startsWith(wanted) || displayName.toLowerCase().split(' ').some((_, index, all) => all.slice(index).join(' ').startsWith(wanted)));
    return { status: 200, body: found.slice(0, Number(query.get('maxResults') ?? 50)).map((user) => this.#person(user)) };
  }

  #person({ accountId, email, displayName, shown, active }: FakeUser): unknown {
    return { accountId, displayName, active, ...(shown && !(accountId === ME.accountId && this.#site.emailHidden) ? { emailAddress: email } : {}) };
  }

  #shown(issue: FakeIssue, fields: readonly string[]): unknown {
    const odd = fields.find((name) => !FIELDS.includes(name));
    if (odd !== undefined) throw new WrongCall(`there is no field ${odd}`);
    const status = ({ status: name }: FakeIssue): unknown => ({ name, statusCategory: { key: CATEGORIES[name] } });
    const user = issue.assignee === null ? undefined : this.#site.user(issue.assignee);
    const all: Record<string, unknown> = {
      summary: issue.summary, status: status(issue), issuetype: { id: issue.type.id, name: issue.type.name, subtask: issue.type.subtask }, labels: [...issue.labels],
      assignee: user === undefined ? null : this.#person(user), description: issue.description,
      subtasks: this.#site.children(issue.key).map((child) => ({ id: child.id, key: child.key, fields: { summary: child.summary, status: status(child) } })),
      issuelinks: issue.blockedBy.map((key) => ({ type: { name: 'Blocks', inward: 'is blocked by', outward: 'blocks' }, inwardIssue: { key, fields: { status: status(this.#site.get(key)) } } })),
    };
    return { id: issue.id, key: issue.key, fields: Object.fromEntries(fields.filter((name) => name !== 'key').map((name) => [name, all[name]])) };
  }
}

function takes({ query }: Pick<Asked, 'query' | 'body'>, names: readonly string[]): void {
  const odd = [...query.keys()].find((name) => !names.includes(name));
  if (odd !== undefined) throw new WrongCall(`there is no parameter ${odd}`);
}

function map(value: unknown, keys: readonly string[]): Record<string, unknown> {
  if (!isMap(value)) throw new WrongCall(`an object with ${keys.join(', ')} is missing`);
  const odd = Object.keys(value).find((key) => !keys.includes(key));
  if (odd !== undefined) throw new WrongCall(`there is no field ${odd} beside ${keys.join(', ')}`);
  return value;
}

function labelProblem(labels: readonly unknown[]): Answered | undefined {
  const odd = labels.find((label) => typeof label !== 'string' || /\s/.test(label) || label === '' || label.length > 255);
  return odd === undefined ? undefined : fieldError('labels', `The label '${JSON.stringify(odd)}' contains spaces which is invalid.`);
}

export function refused(status: number, message: string): Answered {
  return { status, body: { errorMessages: [message], errors: {} } };
}

function fieldError(field: string, message: string): Answered {
  return { status: 400, body: { errorMessages: [], errors: { [field]: message } } };
}
