import { HttpFake, shapeProblems, type FakeAnswer, type FakeRequest } from './http-fake.js';

export const GITLAB_TOKEN = 'glpat-fakeFakeFakeFakeFake1';

interface FakeMergeRequest {
  readonly iid: number;
  readonly source: string;
  target: string;
  title: string;
  description: string;
  state: 'opened' | 'closed';
  readonly notes: string[];
  reviewers: number[];
}

const PROJECT_ID = 815;
const TITLE_MAX = 255;

/** GitLab's REST interface, version 4, for one project. */
export class FakeGitLab {
  readonly branches = new Set(['main', 'develop']);
  readonly requests: FakeMergeRequest[] = [];
  readonly users = new Map([['ada', 11], ['grace', 12], ['outsider', 13]]);
  readonly members = new Set([11, 12]);
  project = 'group/sub group/tower';
  token = GITLAB_TOKEN;
  jobToken = 'job-fakeFakeFakeFake0001';
  #fake: HttpFake | undefined;

  static async start(): Promise<FakeGitLab> {
    const gitlab = new FakeGitLab();
    gitlab.#fake = await HttpFake.start((request, fake) => gitlab.#handle(request, fake));
    return gitlab;
  }

  get http(): HttpFake {
    if (this.#fake === undefined) throw new Error('not started');
    return this.#fake;
  }

  #handle(request: FakeRequest, fake: HttpFake): FakeAnswer {
    const { method, path, headers } = request;
    if (headers['job-token'] === this.jobToken) return method === 'GET' ? { status: 404, body: { message: '404 Project Not Found' } } : { status: 403, body: { message: '403 Forbidden' } };
    if (headers.authorization !== `Bearer ${this.token}`) return { status: 401, body: { message: '401 Unauthorized' } };
    if (request.body !== undefined && headers['content-type'] !== 'application/json') return fake.violation(`${method} ${path} sends ${headers['content-type']}`);
    if (!path.startsWith('/api/v4/')) return fake.violation(`${method} ${path}`);
    if (method === 'GET' && path === '/api/v4/users') return this.#user(request, fake);
    const home = `/api/v4/projects/${encodeURIComponent(this.project)}`;
    if (path !== home && !path.startsWith(`${home}/`)) return { status: 404, body: { message: '404 Project Not Found' } };
    const route = `${method} ${path.slice(home.length)}`;
    if (route === 'GET ') return { status: 200, body: { id: PROJECT_ID, default_branch: 'main' } };
    if (route === 'GET /merge_requests') return this.#list(request, fake);
    if (route === 'POST /merge_requests') return this.#create(request, fake);
    const [, verb, digits, rest = ''] = /^(\w+) \/merge_requests\/(\d+)(\/\w+)?$/.exec(route) ?? [];
    const found = this.requests.find(({ iid }) => iid === Number(digits));
    if (digits !== undefined && found === undefined) return { status: 404, body: { message: '404 Not found' } };
    if (found !== undefined && verb === 'PUT' && rest === '') return this.#edit(found, request, fake);
    if (found !== undefined && rest === '/notes') return this.#notes(found, request, fake);
    return fake.violation(`${method} ${path}`);
  }

  #user({ query }: FakeRequest, fake: HttpFake): FakeAnswer {
    const problems = shapeProblems(query, { username: 'string' });
    if (problems.length > 0) return fake.violation(`GET users: ${problems.join(', ')}`);
    const id = this.users.get(query['username'] ?? '');
    return { status: 200, body: id === undefined ? [] : [{ id, username: query['username'] }] };
  }

  #list({ query }: FakeRequest, fake: HttpFake): FakeAnswer {
    const problems = shapeProblems(query, { state: 'string', source_branch: 'string' }, { order_by: 'string', sort: 'string', per_page: 'string' });
    if (problems.length > 0) return fake.violation(`GET merge_requests: ${problems.join(', ')}`);
    return { status: 200, body: this.requests.filter(({ state, source }) => state === query['state'] && source === query['source_branch']).toReversed().map((found) => this.#shown(found)) };
  }

  #create({ body }: FakeRequest, fake: HttpFake): FakeAnswer {
    const problems = shapeProblems(body, { source_branch: 'string', target_branch: 'string', title: 'string' }, { description: 'string', reviewer_ids: 'array' });
    if (problems.length > 0) return fake.violation(`POST merge_requests: ${problems.join(', ')}`);
    const { source_branch: source, target_branch: target, title, description = '' } = body as { source_branch: string; target_branch: string; title: string; description?: string };
    if (title.length > TITLE_MAX) return { status: 400, body: { message: { title: [`is too long (maximum is ${TITLE_MAX} characters)`] } } };
    if (!this.branches.has(source)) return { status: 400, body: { message: { source_branch: ['does not exist'] } } };
    if (!this.branches.has(target)) return { status: 400, body: { message: { base: [`Target branch "${target}" does not exist`] } } };
    const other = this.requests.find((found) => found.state === 'opened' && found.source === source && found.target === target);
    if (other !== undefined) return { status: 409, body: { message: [`Another open merge request already exists for this source branch: !${other.iid}`] } };
    const created: FakeMergeRequest = { iid: this.requests.length + 1, source, target, title, description: this.#executed(description), state: 'opened', notes: [], reviewers: [] };
    this.requests.push(created);
    return { status: 201, body: this.#shown(created) };
  }

  #edit(found: FakeMergeRequest, { body }: FakeRequest, fake: HttpFake): FakeAnswer {
    const problems = shapeProblems(body, {}, { title: 'string', description: 'string', target_branch: 'string', reviewer_ids: 'array' });
    if (problems.length > 0) return fake.violation(`PUT merge_requests: ${problems.join(', ')}`);
    const { title, description, target_branch: target, reviewer_ids: reviewers } = body as { title?: string; description?: string; target_branch?: string; reviewer_ids?: number[] };
    Object.assign(found, {
      title: title ?? found.title, target: target ?? found.target,
      description: description === undefined ? found.description : this.#executed(description),
      reviewers: reviewers === undefined ? found.reviewers : reviewers.filter((id) => this.members.has(id)),
    });
    return { status: 200, body: this.#shown(found) };
  }

  #notes(found: FakeMergeRequest, { method, query, body }: FakeRequest, fake: HttpFake): FakeAnswer {
    if (method === 'GET') {
      const problems = shapeProblems(query, { order_by: 'string', sort: 'string', per_page: 'string' });
      if (problems.length > 0 || query['sort'] !== 'desc') return fake.violation(`GET notes: ${problems.join(', ')}`);
      return { status: 200, body: found.notes.toReversed().slice(0, Number(query['per_page'])).map((text) => ({ body: text, system: false })) };
    }
    const problems = shapeProblems(body, { body: 'string' });
    if (method !== 'POST' || problems.length > 0) return fake.violation(`${method} notes: ${problems.join(', ')}`);
    const text = this.#executed((body as { body: string }).body);
    found.notes.push(text.trim());
    return { status: 201, body: { id: 1, body: text } };
  }

  /** GitLab takes quick actions out of a text and executes them; here that is a violation. */
  #executed(text: string): string {
    const outside = text.replace(/^```[^]*?^```$/gm, '');
    const action = /^\/[a-z_]+/m.exec(outside)?.[0];
    if (action !== undefined) this.http.violation(`a text executes ${action}`);
    return text;
  }

  #shown({ iid, source, target, title, state, description, reviewers }: FakeMergeRequest): unknown {
    return {
      iid, title, description, state, source_branch: source, target_branch: target, source_project_id: PROJECT_ID, target_project_id: PROJECT_ID,
      draft: /^(draft:|\[draft\]|\(draft\))/i.test(title), web_url: `http://127.0.0.1:${this.http.port}/${encodeURI(this.project)}/-/merge_requests/${iid}`,
      reviewers: reviewers.map((id) => ({ id })),
    };
  }
}
