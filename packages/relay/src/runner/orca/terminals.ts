import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import type { Terminal, Terminals, WorkspaceRef } from '../port.js';
import type { Locks } from '../../queues/locks.js';
import { makeOrFind } from './again.js';
import { ACT_MS, LOOK_MS, decodeResult, malformed, refused, type Orca } from './call.js';
import { NO_SUCH, meansGone } from './codes.js';
import { commandLine } from './command-line.js';
import { tabsOf, type Tab } from './layouts.js';
import { sendText } from './send.js';
import { findWorktree, type OrcaWorktree } from './worktrees.js';

const shown = z.object({ terminal: z.object({ handle: z.string().optional(), title: z.string().catch(''), connected: z.boolean().catch(false), writable: z.boolean().catch(false) }) });
const created = z.object({ terminal: z.object({ handle: z.string().min(1) }) });
const listed = z.object({ truncated: z.boolean().catch(false), totalCount: z.number().optional().catch(undefined) });

interface Candidate {
  readonly tab: Tab;
  readonly terminal: Terminal;
}

type Titled = WorkspaceRef & { readonly title: string };

/** Terminals in Orca. Found by the title of their tab; a handle is good for one start of the application. */
export function createTerminals(args: { readonly orca: Orca; readonly turns: Locks; readonly settleMs: number }): Terminals {
  const { orca, turns, settleMs } = args;
  /** Titles of tabs by handle, because `terminal show` tells that of the pane. */
  const titles = new Map<string, string>();

  const show = async (handle: string): Promise<Terminal | undefined> => {
    const answer = await orca({ verb: 'terminal show', args: ['--terminal', handle], timeoutMs: LOOK_MS });
    if (!answer.ok) {
      if (!meansGone(answer.code)) throw refused('terminal show', answer);
      titles.delete(handle);
      return undefined;
    }
    const { terminal } = decodeResult('terminal show', shown, answer.result);
    return { handle, title: titles.get(handle) ?? terminal.title, live: terminal.connected && terminal.writable };
  };

  const close = async (handle: string): Promise<void> => {
    try {
      const answer = await orca({ verb: 'terminal close', args: ['--terminal', handle], timeoutMs: ACT_MS });
      if (!answer.ok && !meansGone(answer.code)) throw refused('terminal close', answer);
    } catch (error) {
      // It may have had its effect.
      if ((await show(handle).catch(() => true)) !== undefined) throw error;
    }
    titles.delete(handle);
  };

  /** All panes of a tab: one that is left would keep the title, and be taken for the agent's. */
  const closeTabs = async (tabs: readonly Tab[]): Promise<void> => {
    for (const handle of tabs.flatMap((tab) => tab.panes)) await close(handle);
  };

  /** The terminal of a title with its tab, a live one first; the others are closed. */
  const search = async (at: Titled): Promise<Candidate | undefined> => {
    const worktree = await findWorktree(orca, at);
    if (worktree === undefined) return undefined;
    const { tabs, truncated } = await tabsOfWorktree(orca, worktree);
    const candidates: Candidate[] = [];
    for (const tab of tabs.filter(({ title }) => title === at.title)) {
      // The pane with which the tab began: a person who splits it adds others.
      const pane = tab.panes[0];
      if (pane === undefined) continue;
      titles.set(pane, at.title);
      const terminal = await show(pane);
      if (terminal !== undefined) candidates.push({ tab, terminal });
    }
    const best = candidates.find(({ terminal }) => terminal.live) ?? candidates[0];
    if (best === undefined && truncated) throw incomplete(at);
    await closeTabs(candidates.filter((candidate) => candidate !== best).map(({ tab }) => tab));
    return best;
  };
  const find = async (at: Titled): Promise<Terminal | undefined> => (await search(at))?.terminal;

  return {
    find,
    show: ({ handle }) => show(handle),
    close: ({ handle }) => close(handle),
    create: (at) => turns.hold(`${at.repo.name}\0${at.ticket}\0${at.title}`, async () => {
      const line = commandLine(at.command);
      const before = await search(at);
      if (before?.terminal.live === true) return before.terminal;
      if (before !== undefined) await closeTabs([before.tab]);
      const worktree = await findWorktree(orca, at);
      if (worktree === undefined) throw new RelayError('runner_missing', `Ticket ${at.ticket} has no worktree in Orca.`);
      return await makeOrFind({
        async make() {
          const answer = await orca({ verb: 'terminal create', args: ['--worktree', `id:${worktree.id}`, '--title', at.title, '--command', line], timeoutMs: ACT_MS });
          if (!answer.ok) throw refused('terminal create', answer);
          const { terminal: { handle } } = decodeResult('terminal create', created, answer.result);
          titles.set(handle, at.title);
          return { handle, title: at.title, live: true };
        },
        look: () => find(at),
      });
    }),
    send: ({ handle, text, mark }) => sendText(orca, { handle, text, mark, settleMs, live: async () => (await show(handle))?.live === true }),
    async closeAll(at) {
      for (let round = 0; ; round += 1) {
        const worktree = await findWorktree(orca, at);
        if (worktree === undefined) return;
        const { tabs, truncated } = await tabsOfWorktree(orca, worktree);
        const own = tabs.filter(({ title }) => title.startsWith(`${at.ticket}:`));
        await closeTabs(own);
        if (!truncated) return;
        // What was closed makes room for the rest of the list.
        if (own.length === 0 || round > 20) throw incomplete(at);
      }
    },
  };
}

async function tabsOfWorktree(orca: Orca, worktree: OrcaWorktree): Promise<{ readonly tabs: readonly Tab[]; readonly truncated: boolean }> {
  const verb = 'terminal list';
  const list = async (...more: readonly string[]): Promise<unknown> => {
    const answer = await orca({ verb, args: ['--worktree', `id:${worktree.id}`, '--include-visual-layouts', ...more], timeoutMs: LOOK_MS });
    if (answer.ok) return answer.result;
    if (answer.code === NO_SUCH) return { visualLayouts: [] };
    throw refused(verb, answer);
  };
  let result = await list();
  const first = decodeResult(verb, listed, result);
  if (first.truncated && first.totalCount !== undefined) result = await list('--limit', String(first.totalCount));
  const tabs = tabsOf(result);
  if (tabs === undefined) throw malformed(verb);
  return { tabs, truncated: decodeResult(verb, listed, result).truncated };
}

function incomplete(at: WorkspaceRef): RelayError {
  return new RelayError('runner_conflict', `Orca lists only some of the terminals of ticket ${at.ticket}, so what is not listed may exist.`, { hint: 'Close terminals that are not needed in Orca.' });
}
