import { KNOWN_CLIS } from '../resolve.js';
import { executeWrapper } from './execute.js';
import { probeWrapper } from './probe.js';
import type { AgentAdapter } from '../port.js';

/**
 * Drives every executable that is not a known CLI and speaks the wrapper protocol, version 1: a program of one's own that stands between a flow and
 * whatever does the work. It keeps no sessions and is told nothing about permissions.
 */
export const wrapperAdapter: AgentAdapter = {
  name: 'wrapper',
  abilities: { resume: 'no', choosesSessionId: false, enforces: [] },
  matches: (name) => !KNOWN_CLIS.has(name),
  probe: probeWrapper,
  execute: executeWrapper,
};
