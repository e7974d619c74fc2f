import { RelayError } from '../errors/relay-error.js';
import type { Home } from '../host/home.js';
import type { Handlers, RepoRegistration, RunFilter } from './api.js';
import type { Pollers } from './poller.js';
import { registerRepo, repoView, unregisterRepo, type RepoBook } from './repos/register.js';
import { Locks } from '../queues/locks.js';
import type { Decisions } from './runs/decisions.js';
import { runLogs } from './runs/logs.js';
import type { Reports } from './runs/reports.js';
import { shownDetail, shownRun, shownRuns } from './runs/run-views.js';
import { takeClaim } from './runs/take-claim.js';
import type { WorkflowBook } from './workflows/book.js';
import { removeWorkflow, submitWorkflow } from './workflows/submit.js';
import { workflowDetail, workflowSummary } from './workflows/workflow-views.js';
import type { Workshop } from './workshop.js';

export interface HandlerParts {
  readonly shop: Workshop;
  readonly home: Home;
  readonly version: string;
  readonly startedAt: number;
  readonly book: RepoBook;
  readonly workflowBook: WorkflowBook;
  readonly pollers: Pollers;
  readonly reports: Reports;
  readonly decisions: Decisions;
  readonly stop: () => void;
}

/** What the server answers. */
export function createHandlers(parts: HandlerParts): Handlers {
  const { shop, home, book, workflowBook, pollers, reports, decisions } = parts;
  const { store } = shop;
  // Workflows and repositories are changed one at a time.
  const locks = new Locks();
  const changing = <T>(change: () => Promise<T>): Promise<T> => locks.hold('configuration', change);
  const latest = (key: string, query: Readonly<Record<string, string>>) => decisions.latest(key, query['repo']);
  return {
    health: async () => ({
      pid: process.pid, version: parts.version, home: home.root, startedAt: parts.startedAt,
      repos: Object.keys(book.entries).length, workflows: workflowBook.all().length, activeRuns: store.countActive({}),
      problems: [
        ...Object.keys(book.entries).map((name) => ({ name, text: shop.repos.problem(name) })).flatMap(({ name, text }) => (text === undefined ? [] : [`Repository ${name}: ${text}`])),
        ...shop.repos.all().flatMap(({ name }) => shop.repos.ticketProblems(name).map(({ where, text }) => `Repository ${name}, ${where}: ${text}`)),
        ...workflowBook.all().flatMap(({ name, health, reason }) => (health === 'healthy' ? [] : [`Workflow ${name} is ${health}: ${reason ?? ''}`])),
      ],
    }),
    stop: async () => {
      setImmediate(parts.stop);
      return { pid: process.pid };
    },

    listWorkflows: async () => workflowBook.all().map((workflow) => workflowSummary(shop, workflow)),
    submitWorkflow: ({ body }) => changing(async () => {
      const submitted = await submitWorkflow({ shop, home, workflowBook, bytes: body instanceof Uint8Array ? body : new Uint8Array() });
      pollers.rebind();
      return { workflow: workflowSummary(shop, submitted.workflow), warnings: submitted.warnings };
    }),
    getWorkflow: async ({ params }) => workflowDetail(shop, workflowBook, params.name),
    removeWorkflow: ({ params }) => changing(async () => {
      await removeWorkflow({ shop, home, workflowBook, name: params.name });
      return { name: params.name };
    }),

    listRepos: async () => Object.keys(book.entries).map((name) => repoView(shop, book, workflowBook, name)),
    registerRepo: ({ body }) => changing(async () => {
      const registration = registrationOf(body);
      await registerRepo(shop, home, book, registration);
      pollers.rebind();
      return repoView(shop, book, workflowBook, registration.name);
    }),
    getRepo: async ({ params }) => repoView(shop, book, workflowBook, params.name),
    removeRepo: ({ params }) => changing(async () => {
      unregisterRepo(shop, home, book, workflowBook, params.name);
      pollers.rebind();
      return { name: params.name };
    }),
    discoverRepos: async () => {
      const known = new Set(Object.values(book.entries).map(({ path }) => path));
      return (await shop.runner.discoverRepos()).filter(({ path }) => !known.has(path));
    },
    ensureRepo: async ({ body }) => {
      const { name, path } = members(body);
      const repo = { name: textOf(name, 'name'), path: textOf(path, 'path') };
      await shop.runner.ensureRepo(repo);
      return repo;
    },
    firstTaskFields: ({ query }) => shop.taskSystem.registrationFields({ repo: { name: textOf(query['name'], 'name'), path: textOf(query['path'], 'path') }, values: {} }),
    nextTaskFields: ({ body }) => {
      const { name, path, values } = members(body);
      return shop.taskSystem.registrationFields({ repo: { name: textOf(name, 'name'), path: textOf(path, 'path') }, values: texts(values) });
    },

    deliverReport: ({ body }) => reports.deliver(body),
    registerSession: async ({ body }) => reports.register(body),

    listRuns: async ({ query }) => {
      const { repo, workflow, ticket, active } = query as RunFilter;
      return shownRuns(shop, store.runs({ ...(repo === undefined ? {} : { repo }), ...(workflow === undefined ? {} : { workflow }), ...(ticket === undefined ? {} : { ticket }), active: active === 'true' }));
    },
    getRun: async ({ params, query }) => shownDetail(shop, latest(params.key, query)),
    runLogs: ({ params, query, signal }) => runLogs(shop, latest(params.key, query), { after: query['after'], waitMs: Number(query['wait'] ?? 0), signal }),
    cancelRun: async ({ params, query, body }) => shownRun(shop, await decisions.cancel(latest(params.key, query), optionalText(members(body)['reason'], 'reason') ?? 'by an operator, without a reason')),
    restartRun: async ({ params, query }) => shownRun(shop, await decisions.restart(latest(params.key, query))),
    claimTicket: async ({ params, query, signal }) => {
      const { run, ...taken } = await takeClaim({ shop, workflowBook, pollers }, { key: params.key, repo: query['repo'], signal });
      return { ticket: params.key, ...taken, run: run === undefined ? null : shownRun(shop, run) };
    },
    approveRun: async ({ params, query, body }) => shownRun(shop, await decisions.approve(latest(params.key, query), optionalText(members(body)['reportId'], 'reportId'))),
    rejectRun: async ({ params, query, body }) => {
      const given = members(body);
      return shownRun(shop, await decisions.reject(latest(params.key, query), { reason: optionalText(given['reason'], 'reason'), reportId: optionalText(given['reportId'], 'reportId') }));
    },
  };
}

function members(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body)) throw new RelayError('request_invalid', 'The body of the request must be a JSON object.');
  return body as Readonly<Record<string, unknown>>;
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new RelayError('request_invalid', `The request needs ${name}.`);
}

function optionalText(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new RelayError('request_invalid', `${name} must be a text.`);
  return value.trim() === '' ? undefined : value;
}

function texts(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(members(value)).map(([key, text]) => [key, String(text)]));
}

function registrationOf(body: unknown): RepoRegistration {
  const { name, path, values, taskConfig } = members(body);
  return {
    name: textOf(name, 'name'), path: textOf(path, 'path'),
    ...(values === undefined ? {} : { values: texts(values) }),
    ...(taskConfig === undefined ? {} : { taskConfig: members(taskConfig) as NonNullable<RepoRegistration['taskConfig']> }),
  };
}
