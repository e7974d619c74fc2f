import { HttpFake, shapeProblems, type FakeAnswer, type FakeRequest } from './http-fake.js';

export const GITHUB_TOKEN = 'ghp_fakeFakeFakeFakeFakeFakeFakeFake0001';

interface FakePull {
  readonly number: number;
  readonly nodeId: string;
  readonly head: string;
  /** The repository it comes from. */
  readonly from: number;
  base: string;
  title: string;
  body: string;
  draft: boolean;
  state: 'open' | 'closed';
  readonly comments: string[];
  readonly reviewers: string[];
}

const REPOSITORY_ID = 4711;
const BODY_MAX = 65_536;
const DOCUMENTATION = 'https://docs.github.com/rest';

/** GitHub's REST interface at `/api/v3` and its GraphQL interface at `/api/graphql`, as a GitHub Enterprise Server has them, for one repository. */
export class FakeGitHub {
  readonly branches = new Set(['main', 'develop']);
  readonly pulls: FakePull[] = [];
  /** Who can review. */
  readonly collaborators = new Set(['ada', 'grace']);
  readonly author = 'octocat';
  owner = 'octo';
  name = 'tower';
  hasDrafts = true;
  token = GITHUB_TOKEN;
  #fake: HttpFake | undefined;

  static async start(): Promise<FakeGitHub> {
    const github = new FakeGitHub();
    github.#fake = await HttpFake.start((request, fake) => github.#handle(request, fake));
    return github;
  }

  get http(): HttpFake {
    if (this.#fake === undefined) throw new Error('not started');
    return this.#fake;
  }

  /** A pull request that is there already. */
  add(members: Partial<FakePull> & Pick<FakePull, 'head'>): FakePull {
    const number = this.pulls.length + 1;
    const pull: FakePull = { number, nodeId: `PR_${number}`, from: REPOSITORY_ID, base: 'main', title: 'Before', body: '', draft: false, state: 'open', comments: [], reviewers: [], ...members };
    this.pulls.push(pull);
    return pull;
  }

  #handle(request: FakeRequest, fake: HttpFake): FakeAnswer {
    const { method, path, headers } = request;
    if (headers['user-agent'] === undefined) return { status: 403, body: { message: 'Request forbidden by administrative rules. Please make sure your request has a User-Agent header' } };
    if (!/^(token|bearer) /i.test(headers.authorization ?? '')) return { status: 401, body: { message: 'Requires authentication', documentation_url: DOCUMENTATION, status: '401' } };
    if (headers.authorization?.split(' ')[1] !== this.token) return { status: 401, body: { message: 'Bad credentials', documentation_url: DOCUMENTATION, status: '401' } };
    if (!/application\/vnd\.github(\.v3)?\+json/.test(headers.accept ?? '')) return fake.violation(`${method} ${path} accepts ${headers.accept}`);
    if (request.body !== undefined && headers['content-type']?.startsWith('application/json') !== true) return fake.violation(`${method} ${path} sends ${headers['content-type']}`);
    if (method === 'POST' && path === '/api/graphql') return this.#graphql(request, fake);
    const home = `/api/v3/repos/${this.owner}/${this.name}`;
    if (!path.startsWith('/api/v3/')) return fake.violation(`${method} ${path}`);
    if (path !== home && !path.startsWith(`${home}/`)) return notFound();
    const route = `${method} ${path.slice(home.length)}`;
    if (route === 'GET ') return { status: 200, body: { id: REPOSITORY_ID, name: this.name, full_name: `${this.owner}/${this.name}`, owner: { login: this.owner }, default_branch: 'main' } };
    if (route === 'GET /pulls') return this.#list(request, fake);
    if (route === 'POST /pulls') return this.#create(request, fake);
    const [, verb, folder, digits, rest = ''] = /^(\w+) \/(pulls|issues)\/(\d+)(\/\w+)?$/.exec(route) ?? [];
    const pull = this.pulls.find(({ number }) => number === Number(digits));
    if (digits !== undefined && pull === undefined) return notFound();
    if (pull !== undefined && folder === 'pulls' && verb === 'PATCH' && rest === '') return this.#edit(pull, request, fake);
    if (pull !== undefined && folder === 'issues' && verb === 'POST' && rest === '/comments') return this.#comment(pull, request, fake);
    if (pull !== undefined && folder === 'pulls' && verb === 'POST' && rest === '/requested_reviewers') return this.#review(pull, request, fake);
    return fake.violation(`${method} ${path}`);
  }

  #list({ query }: FakeRequest, fake: HttpFake): FakeAnswer {
    const problems = shapeProblems(query, { state: 'string', head: 'string' }, { per_page: 'string' });
    if (problems.length > 0) return fake.violation(`GET pulls: ${problems.join(', ')}`);
    const [owner, ...branch] = (query['head'] ?? '').split(':');
    // As GitHub does: a filter without an owner filters nothing.
    const found = this.pulls.filter((pull) => pull.state === query['state'] && (branch.length === 0 || (owner === this.owner && pull.head === branch.join(':'))));
    return { status: 200, body: found.toReversed().map((pull) => this.#shown(pull)) };
  }

  #create({ body }: FakeRequest, fake: HttpFake): FakeAnswer {
    const problems = shapeProblems(body, { title: 'string', head: 'string', base: 'string' }, { body: 'string', draft: 'boolean', maintainer_can_modify: 'boolean' });
    if (problems.length > 0) return fake.violation(`POST pulls: ${problems.join(', ')}`);
    const { title, head, base, body: description = '', draft = false } = body as { title: string; head: string; base: string; body?: string; draft?: boolean };
    const errors: unknown[] = [];
    if (!this.branches.has(head)) errors.push({ resource: 'PullRequest', field: 'head', code: 'invalid' });
    if (!this.branches.has(base)) errors.push({ resource: 'PullRequest', field: 'base', code: 'invalid' });
    if (errors.length === 0 && head === base) errors.push({ resource: 'PullRequest', code: 'custom', message: `No commits between ${base} and ${head}` });
    if (title.length > 256) errors.push({ resource: 'Issue', field: 'title', code: 'custom', message: 'title is too long (maximum is 256 characters)' });
    if (description.length > BODY_MAX) errors.push({ resource: 'Issue', field: 'body', code: 'custom', message: `body is too long (maximum is ${BODY_MAX} characters)` });
    if (this.pulls.some((pull) => pull.state === 'open' && pull.head === head && pull.base === base)) {
      errors.push({ resource: 'PullRequest', code: 'custom', message: `A pull request already exists for ${this.owner}:${head}.` });
    }
    if (errors.length > 0) return invalid(errors);
    if (draft && !this.hasDrafts) return { status: 422, body: { message: 'Draft pull requests are not supported in this repository.', documentation_url: DOCUMENTATION, status: '422' } };
    return { status: 201, body: this.#shown(this.add({ head, base, title, body: description, draft })) };
  }

  #edit(pull: FakePull, { body }: FakeRequest, fake: HttpFake): FakeAnswer {
    const problems = shapeProblems(body, {}, { title: 'string', body: 'string', base: 'string', state: 'string' });
    if (problems.length > 0) return fake.violation(`PATCH pulls: ${problems.join(', ')}`);
    const { title, body: description, base } = body as { title?: string; body?: string; base?: string };
    if (base !== undefined && !this.branches.has(base)) return invalid([{ resource: 'PullRequest', field: 'base', code: 'invalid' }]);
    if ((description ?? '').length > BODY_MAX) return invalid([{ resource: 'Issue', field: 'body', code: 'custom', message: 'body is too long' }]);
    Object.assign(pull, { title: title ?? pull.title, body: description ?? pull.body, base: base ?? pull.base });
    return { status: 200, body: this.#shown(pull) };
  }

  #comment(pull: FakePull, { body }: FakeRequest, fake: HttpFake): FakeAnswer {
    const problems = shapeProblems(body, { body: 'string' });
    if (problems.length > 0) return fake.violation(`POST comments: ${problems.join(', ')}`);
    const text = (body as { body: string }).body;
    if (text.length > BODY_MAX) return invalid([{ resource: 'IssueComment', field: 'data', code: 'unprocessable', message: `Body is too long (maximum is ${BODY_MAX} characters)` }]);
    pull.comments.push(text.trim());
    return { status: 201, body: { id: 1, body: text } };
  }

  #review(pull: FakePull, { body }: FakeRequest, fake: HttpFake): FakeAnswer {
    const problems = shapeProblems(body, {}, { reviewers: 'array', team_reviewers: 'array' });
    if (problems.length > 0) return fake.violation(`POST requested_reviewers: ${problems.join(', ')}`);
    const { reviewers = [], team_reviewers: teams = [] } = body as { reviewers?: string[]; team_reviewers?: string[] };
    if (reviewers.includes(this.author)) return { status: 422, body: { message: 'Review cannot be requested from pull request author.', documentation_url: DOCUMENTATION, status: '422' } };
    if (reviewers.some((name) => !this.collaborators.has(name))) {
      const message = `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${this.owner}/${this.name} repository.`;
      return { status: 422, body: { message, documentation_url: DOCUMENTATION, status: '422' } };
    }
    for (const name of [...reviewers, ...teams]) if (!pull.reviewers.includes(name)) pull.reviewers.push(name);
    return { status: 201, body: this.#shown(pull) };
  }

  #graphql({ body }: FakeRequest, fake: HttpFake): FakeAnswer {
    const problems = shapeProblems(body, { query: 'string' }, { variables: 'object' });
    if (problems.length > 0) return fake.violation(`graphql: ${problems.join(', ')}`);
    const { query, variables = {} } = body as { query: string; variables?: { id?: string; last?: number } };
    const pull = this.pulls.find(({ nodeId }) => nodeId === variables.id);
    if (pull === undefined) return { status: 200, body: { data: null, errors: [{ type: 'NOT_FOUND', message: `Could not resolve to a node with the global id of '${variables.id}'` }] } };
    if (query.includes('comments(last: $last)')) return { status: 200, body: { data: { node: { comments: { nodes: pull.comments.slice(-(variables.last ?? 0)).map((text) => ({ body: text })) } } } } };
    const mutation = /^mutation\(\$id: ID!\) \{ (\w+)\(input: \{ pullRequestId: \$id \}\) \{ pullRequest \{ isDraft \} \} \}$/.exec(query)?.[1];
    if (mutation !== 'convertPullRequestToDraft' && mutation !== 'markPullRequestReadyForReview') return fake.violation(`graphql: ${query}`);
    const draft = mutation === 'convertPullRequestToDraft';
    if (draft && !this.hasDrafts) return { status: 200, body: { data: { [mutation]: null }, errors: [{ type: 'UNPROCESSABLE', message: 'Draft pull requests are not supported in this repository.' }] } };
    if (pull.draft === draft) return fake.violation(`${mutation} of a pull request that is so already`);
    pull.draft = draft;
    return { status: 200, body: { data: { [mutation]: { pullRequest: { isDraft: draft } } } } };
  }

  #shown({ number, nodeId, head, from, base, title, body, draft, state, reviewers }: FakePull): unknown {
    return {
      number, node_id: nodeId, state, title, body, draft,
      html_url: `http://127.0.0.1:${this.http.port}/${this.owner}/${this.name}/pull/${number}`,
      head: { ref: head, label: `${this.owner}:${head}`, repo: { id: from } }, base: { ref: base },
      requested_reviewers: reviewers.map((login) => ({ login })),
    };
  }
}

function invalid(errors: readonly unknown[]): FakeAnswer {
  return { status: 422, body: { message: 'Validation Failed', errors, documentation_url: DOCUMENTATION, status: '422' } };
}

function notFound(): FakeAnswer {
  return { status: 404, body: { message: 'Not Found', documentation_url: DOCUMENTATION, status: '404' } };
}
