import type { Received } from '../client/socket-server.js';
import { detail, row, WAITS_FOR_APPROVAL } from './runs.js';

export const REPO = { name: 'app', path: '/r/app', taskConfig: { ticketsDir: 'tickets' }, problem: null, ticketProblems: [], workflows: ['change'], activeRuns: 1 };
export const WORKFLOW = { name: 'change', repositories: ['app'], nodeCount: 4, activeRuns: 1, latestRun: row(), health: 'healthy', reason: null, repair: null };
export const OUTDATED = { name: 'old', repositories: ['app', 'site'], nodeCount: 3, activeRuns: 0, latestRun: null, health: 'outdated', reason: 'The file was edited on disk.', repair: 'relay-flow workflow submit --file /h/workflows/old.yaml' };
const YAML = 'name: change # \u001B[2J\nrepos: [app]\n';

/** What a server says in the tests of commands. */
export function answer({ name, query }: Received): unknown {
  switch (name) {
    case 'listRepos':
      return [REPO, { ...REPO, name: 'site', path: '/r/site', workflows: [], activeRuns: 0, problem: 'There is no folder /r/site.', ticketProblems: [{ where: 'SITE-1.md', text: 'SITE-1.md has no front matter.', hint: 'Begin it with `---`.' }] }];
    case 'getRepo':
    case 'registerRepo':
      return REPO;
    case 'removeRepo':
    case 'removeWorkflow':
      return { name: 'app' };
    case 'ensureRepo':
      return { name: 'app', path: '/r/app' };
    case 'listWorkflows':
      return [WORKFLOW, OUTDATED];
    case 'getWorkflow':
      return { ...WORKFLOW, yaml: YAML, valid: true, recentRuns: [row()] };
    case 'submitWorkflow':
      return { workflow: WORKFLOW, warnings: ['A failure cannot end a ticket.'] };
    case 'listRuns':
      return query['workflow'] === 'none' ? [] : [row(), row({ attention: 'Approve it.', state: 'waiting', phase: 'person' })];
    case 'getRun':
      return WAITS_FOR_APPROVAL;
    case 'cancelRun':
      return row({ state: 'canceled' });
    case 'restartRun':
      return row({ attempt: 2, state: 'starting' });
    case 'claimTicket':
      return { ticket: 'ABC-12', repo: 'app', workflow: 'change', run: row({ state: 'starting' }) };
    case 'approveRun':
    case 'rejectRun':
      return detail();
    case 'deliverReport':
      return { accepted: true, duplicate: false };
    case 'registerSession':
      return { accepted: true };
    default:
      throw new Error(`No answer to ${name}.`);
  }
}
