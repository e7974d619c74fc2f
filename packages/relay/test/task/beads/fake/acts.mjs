import { Refusal } from './refusal.mjs';

const STATUSES = ['open', 'in_progress', 'blocked', 'deferred', 'hooked', 'closed'];

/** The issue that a word stands for: its id, or its id without the prefix. */
function find(state, word) {
  const issue = state.issues[word] ?? state.issues[`${state.prefix}-${word}`];
  if (issue === undefined) throw new Refusal('not_found', `no issue found matching "${word}"`);
  return issue;
}

function checkStatus(status) {
  if (!STATUSES.includes(status)) throw new Refusal('validation', `invalid status: ${status}`);
}

function openBlockers(state, issue) {
  return state.edges.filter(({ issue_id: from, type }) => from === issue.id && type === 'blocks').map(({ depends_on_id: to }) => state.issues[to]).filter((other) => other !== undefined && other.status !== 'closed');
}

function isReady(state, issue) {
  return issue.status === 'open' && openBlockers(state, issue).length === 0 && (issue.defer_until === undefined || Date.parse(issue.defer_until) <= Date.now());
}

/** As it is printed: what is empty is left out. */
function shown(state, issue, { rich = false } = {}) {
  const edges = state.edges.filter(({ issue_id: from }) => from === issue.id);
  const dependencies = rich && !state.behavior.plainEdges ? edges.flatMap(({ depends_on_id: to, type }) => (state.issues[to] === undefined ? [] : [{ ...shown(state, state.issues[to]), dependency_type: type }])) : edges;
  const all = { ...issue, dependencies, dependency_count: edges.length, comment_count: (state.comments[issue.id] ?? []).length };
  if (state.behavior.noParentKey) delete all.parent;
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)));
}

function limited(rows, flags, usual) {
  const limit = Number(flags.limit ?? usual);
  return limit === 0 ? rows : rows.slice(0, limit);
}

function pattern(glob) {
  return new RegExp(`^${glob.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}$`);
}

function list(state, flags) {
  const statuses = flags.status?.split(',');
  statuses?.forEach(checkStatus);
  let rows = Object.values(state.issues);
  if (flags.ready) rows = rows.filter((issue) => isReady(state, issue));
  else if (statuses !== undefined) rows = rows.filter(({ status }) => statuses.includes(status));
  else if (!flags.all) rows = rows.filter(({ status }) => status !== 'closed');
  if (flags.parent !== undefined) rows = rows.filter(({ parent }) => parent === find(state, flags.parent).id);
  if (flags['no-parent'] && !state.behavior.childrenAnyway) rows = rows.filter(({ parent }) => parent === undefined);
  if (flags['label-pattern'] !== undefined) rows = rows.filter(({ labels }) => labels.some((label) => pattern(flags['label-pattern']).test(label)));
  return limited(rows, flags, 50).map((issue) => shown(state, issue));
}

function needDescription(state, { input, flags }) {
  if ((input ?? '').trim() !== '') return;
  if (flags['allow-empty-description'] && state.behavior.old) throw new Refusal('usage', 'unknown flag: --allow-empty-description');
  if (!flags['allow-empty-description'] && !state.behavior.old) throw new Refusal('validation', 'empty description; pass --allow-empty-description if it is meant');
}

function create(state, call) {
  const { words: [title], flags, input } = call;
  const parent = flags.parent === undefined ? undefined : find(state, flags.parent);
  if (flags.stdin) needDescription(state, call);
  const own = (flags.labels ?? '').split(',').filter((label) => label !== '');
  const inherited = parent === undefined || flags['no-inherit-labels'] ? [] : parent.labels;
  const id = parent === undefined ? `${state.prefix}-${(state.next += 1)}` : `${parent.id}.${(parent.children = (parent.children ?? 0) + 1)}`;
  const now = new Date().toISOString();
  const issue = { id, title, description: input ?? '', status: 'open', issue_type: flags.type ?? 'task', priority: 2, labels: [...new Set([...inherited, ...own])], parent: parent?.id, created_at: now, updated_at: now };
  state.issues[id] = issue;
  if (parent !== undefined) state.edges.push({ issue_id: id, depends_on_id: parent.id, type: 'parent-child' });
  return shown(state, issue);
}

function toStatus(issue, status) {
  checkStatus(status);
  issue.status = status;
  if (status !== 'closed') {
    delete issue.closed_at;
    delete issue.close_reason;
  }
}

function update(state, call) {
  const { words: [word], flags, input } = call;
  const issue = find(state, word);
  if (flags.description === '-') needDescription(state, call);
  if (flags.claim) {
    if (issue.assignee !== undefined) throw new Refusal('conflict', `already claimed by ${issue.assignee}`);
    issue.assignee = 'bd';
    toStatus(issue, 'in_progress');
  }
  if (flags.status !== undefined) toStatus(issue, flags.status);
  if (flags.assignee !== undefined) issue.assignee = flags.assignee === '' ? undefined : flags.assignee;
  if (flags['add-label'] !== undefined) issue.labels = [...new Set([...issue.labels, ...flags['add-label']])];
  if (flags.description === '-') issue.description = input;
  if (flags.defer !== undefined) {
    if (flags.defer !== '' && Number.isNaN(Date.parse(flags.defer))) throw new Refusal('validation', `invalid date: ${flags.defer}`);
    issue.defer_until = flags.defer === '' ? undefined : flags.defer;
    if (flags.defer !== '') issue.status = 'deferred';
  }
  issue.updated_at = new Date().toISOString();
  return [shown(state, issue)];
}

function end(state, { words: [word], flags }) {
  const issue = find(state, word);
  if (issue.status === 'closed') throw new Refusal('conflict', `${issue.id} is already closed`);
  if (openBlockers(state, issue).length > 0) throw new Refusal('conflict', `cannot close ${issue.id}: blocked by open issues`);
  Object.assign(issue, { status: 'closed', closed_at: new Date().toISOString(), close_reason: flags.reason });
  return [shown(state, issue)];
}

function reopen(state, { words: [word] }) {
  const issue = find(state, word);
  if (issue.status !== 'closed') throw new Refusal('conflict', `${issue.id} is already open`);
  toStatus(issue, 'open');
  return [shown(state, issue)];
}

/** Does what a call says, and answers with what is to be printed. */
export function act(state, call) {
  const { name, words, flags, input } = call;
  switch (name) {
    case 'list':
      return list(state, flags);
    case 'ready':
      if (flags.explain) return { ready: Object.values(state.issues).filter((issue) => isReady(state, issue)).map((issue) => shown(state, issue)), blocked: Object.values(state.issues).filter((issue) => openBlockers(state, issue).length > 0).map((issue) => ({ ...shown(state, issue), blocked_by: openBlockers(state, issue).map(({ id }) => id) })) };
      return limited(Object.values(state.issues).filter((issue) => isReady(state, issue)), flags, 100).map((issue) => shown(state, issue));
    case 'show': {
      const issue = shown(state, find(state, words[0]), { rich: true });
      return state.behavior.showObject ? issue : [issue];
    }
    case 'comments': {
      const comments = state.comments[find(state, words[0]).id] ?? [];
      return comments.length === 0 && state.behavior.nullLists ? null : comments;
    }
    case 'create':
      return create(state, call);
    case 'update':
      return update(state, call);
    case 'comment': {
      const { id } = find(state, words[0]);
      const comment = { id: (state.next += 1), issue_id: id, author: 'bd', text: input, created_at: new Date().toISOString() };
      (state.comments[id] ??= []).push(comment);
      return comment;
    }
    case 'close':
      return end(state, call);
    case 'reopen':
      return reopen(state, call);
    case 'dep add': {
      const edge = { issue_id: find(state, words[0]).id, depends_on_id: find(state, words[1]).id, type: flags.type ?? 'blocks' };
      state.edges.push(edge);
      return edge;
    }
    default: {
      const issue = find(state, words[0]);
      issue.labels = name === 'label add' ? [...new Set([...issue.labels, words[1]])] : issue.labels.filter((label) => label !== words[1]);
      return { id: issue.id, labels: issue.labels };
    }
  }
}
