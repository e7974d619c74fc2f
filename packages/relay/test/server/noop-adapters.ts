import type { TerminalHarness } from '../../src/harness/port.js';
import type { Runner, Terminal } from '../../src/runner/port.js';

export interface LaunchedTerminal {
  readonly title: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What was typed into it. */
  readonly typed: string[];
  live: boolean;
}

/** A runner whose terminals are only remembered: tests play their agents through the socket. */
export class RememberedTerminals {
  readonly launched: LaunchedTerminal[] = [];
  readonly statuses: string[] = [];
  /** Errors of the next calls, by operation. */
  readonly failures: { operation: 'create' | 'send' | 'ensureWorkspace'; error: Error }[] = [];
  readonly runner: Runner;

  constructor() {
    const find = (title: string): Terminal | undefined => {
      const index = this.launched.findLastIndex((terminal) => terminal.title === title);
      const terminal = this.launched[index];
      return terminal === undefined ? undefined : { handle: `t${index}`, title, live: terminal.live };
    };
    const at = (handle: string): LaunchedTerminal | undefined => this.launched[Number(handle.slice(1))];
    const fail = (operation: string): void => {
      const index = this.failures.findIndex((failure) => failure.operation === operation);
      const [failure] = index < 0 ? [] : this.failures.splice(index, 1);
      if (failure !== undefined) throw failure.error;
    };
    this.runner = {
      name: 'remembered',
      probe: async () => undefined,
      ensureRepo: async () => undefined,
      validateRepo: async () => undefined,
      discoverRepos: async () => [],
      ensureWorkspace: async ({ ticket }) => {
        fail('ensureWorkspace');
        return { ticket, path: '/' };
      },
      setStatus: async ({ ticket, status }) => void this.statuses.push(`${ticket} ${status}`),
      removeWorkspace: async () => undefined,
      listWorkspaces: async () => [],
      prune: async () => [],
      terminals: {
        find: async ({ title }) => find(title),
        show: async ({ handle }) => {
          const terminal = at(handle);
          return terminal === undefined ? undefined : { handle, title: terminal.title, live: terminal.live };
        },
        create: async ({ title, command: { args, env } }) => {
          fail('create');
          this.launched.push({ title, args, env, typed: [], live: true });
          return { handle: `t${this.launched.length - 1}`, title, live: true };
        },
        send: async ({ handle, text, mark }) => {
          fail('send');
          const terminal = at(handle);
          // All that was typed is on its screen.
          if (mark === undefined || terminal?.typed.some((typed) => typed.includes(mark)) !== true) terminal?.typed.push(text);
        },
        close: async ({ handle }) => {
          const terminal = at(handle);
          if (terminal !== undefined) terminal.live = false;
        },
        closeAll: async ({ ticket }) => {
          for (const terminal of this.launched) if (terminal.title.startsWith(`${ticket}:`)) terminal.live = false;
        },
      },
    };
  }

  live(title: string): readonly LaunchedTerminal[] {
    return this.launched.filter((terminal) => terminal.title === title && terminal.live);
  }
}

export const quietHarness: TerminalHarness = {
  name: 'quiet',
  kind: 'terminal',
  templates: { initial: 'Begin {{node}}.', feedback: 'Go on with {{node}}.', hitl: '' },
  probe: async () => undefined,
  setupRepo: async () => undefined,
  validateAgent: async () => undefined,
  buildCommand: ({ sessionId, prompt }) => ({ file: 'agent', args: [...(sessionId === undefined ? [] : ['--session', sessionId]), prompt], env: {} }),
};
