import { createTerminal, handleOf, terminalBy } from './acts.mjs';
import { end, press } from './programs.mjs';
import { leaderOf } from './pty.mjs';

/** What a test does past Orca's command line. */
export function control(state, verb, args) {
  switch (verb) {
    case 'get':
      return { ...state, terminals: state.terminals.map((terminal) => ({ ...terminal, handle: handleOf(state, terminal) })) };
    case 'set':
      Object.assign(state, JSON.parse(args[0]));
      return undefined;
    case 'terminal':
      Object.assign(terminalBy(state, args[0]), JSON.parse(args[1]));
      return undefined;
    case 'open': {
      // A person's shell.
      const [path, title] = args;
      return handleOf(state, createTerminal(state, { worktree: `path:${path}`, title, command: 'exec cat' }));
    }
    case 'split': {
      const tab = terminalBy(state, args[0]);
      const pane = createTerminal(state, { worktree: `id:${tab.worktreeId}`, title: tab.title, command: 'exec cat' });
      pane.tabId = tab.tabId;
      return handleOf(state, pane);
    }
    case 'press':
      press(terminalBy(state, args[0]), args[1]);
      return undefined;
    case 'leader':
      return leaderOf(terminalBy(state, args[0]));
    case 'restart':
      state.runtime += 1;
      return undefined;
    case 'stop':
      for (const terminal of state.terminals) end(terminal);
      return undefined;
    default:
      throw new Error(`Unknown control ${verb}`);
  }
}
