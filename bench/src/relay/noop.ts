// Adapters that do nothing, so that what is left is the server's own.
import type { Report } from 'relay-flow-plugin/report';
import type { Runner, Terminal, TerminalHarness } from '../../../packages/relay/dist/index.js';

/** A report that goes on to a node. */
export function reportTo(nextStep: string): Report {
  const none = 'None';
  return {
    status: 'success', nextStep,
    summary: { completed: 'Nothing.', commits: none, notCompleted: none, issuesDiscovered: none, verification: none, notes: none },
    feedback: { reasonForNextStep: none, requiredActions: none, relevantContext: none, expectedResult: none },
  };
}

/** Terminals that are only remembered. `onLaunch` hears of every launch, and of every text that is typed into a terminal: its title. */
export function noopRunner(onLaunch: (title: string) => void): Runner {
  const terminals = new Map<string, Terminal>();
  return {
    name: 'noop',
    probe: async () => undefined,
    ensureRepo: async () => undefined,
    validateRepo: async () => undefined,
    discoverRepos: async () => [],
    ensureWorkspace: async ({ ticket }) => ({ ticket, path: '/' }),
    setStatus: async () => undefined,
    removeWorkspace: async () => undefined,
    listWorkspaces: async () => [],
    prune: async () => [],
    terminals: {
      find: async ({ title }) => terminals.get(title),
      // Terminals outlive a server.
      show: async ({ handle }) => ({ handle, title: handle, live: true }),
      create: async ({ title }) => {
        const terminal = { handle: title, title, live: true };
        terminals.set(title, terminal);
        onLaunch(title);
        return terminal;
      },
      send: async ({ handle }) => onLaunch(handle),
      close: async ({ handle }) => void terminals.delete(handle),
      closeAll: async () => undefined,
    },
  };
}

export const noopHarness: TerminalHarness = {
  name: 'noop',
  kind: 'terminal',
  templates: { initial: 'Begin.', feedback: 'Go on.', hitl: '' },
  probe: async () => undefined,
  setupRepo: async () => undefined,
  validateAgent: async () => undefined,
  buildCommand: () => ({ file: 'true', args: [], env: {} }),
};
