import type { AgentAdapter } from '../port.js';
import { claudeAdapter } from './claude.js';
import { codexAdapter } from './codex.js';
import { geminiAdapter } from './gemini.js';
import { opencodeAdapter } from './opencode.js';
import { piAdapter } from './pi.js';

/** The coding-agent CLIs that are driven as they are, in the order in which they are listed. */
export const cliAdapters: readonly AgentAdapter[] = [claudeAdapter, codexAdapter, opencodeAdapter, geminiAdapter, piAdapter];
