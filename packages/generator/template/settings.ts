/** Who plays a role: a coding agent, perhaps a model of it, and words that replace the usual ones. */
export const PLAYERS: Record<string, { cli: string; model?: string; prompt?: string }> = {
  implementer: { cli: 'claude' },
};

/** Instructions that everybody who builds gets besides the ticket. */
export const TASK = '';

/** How this repository checks itself, when you know it: 'npm ci && npm test'. Empty: the flow finds out. */
export const checkCommand = '';
