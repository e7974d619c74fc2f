/** What Orca says when a terminal is not there (any more). A handle of an application that was started anew is one of these: the terminal may go on under another. */
const GONE = new Set([
  'terminal_handle_stale', 'terminal_not_found', 'terminal_not_connected', 'terminal_not_writable', 'terminal_closed', 'terminal_exited', 'terminal_gone',
  'no_connected_pty', 'tab_not_found', 'selector_not_found',
]);

export function meansGone(code: string): boolean {
  return GONE.has(code);
}

/** A worktree that a selector names is not there. */
export const NO_SUCH = 'selector_not_found';
/** The program shows a question of its own, such as whether it trusts the folder. */
export const BLOCKED = 'agent_prompt_blocked';
