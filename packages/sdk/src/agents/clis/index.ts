import type { AgentAdapter } from '../port.js';
import { claudeAdapter } from './claude.js';
import { geminiAdapter } from './gemini.js';

/** The coding-agent CLIs that are driven as they are, in the order in which they are listed. */
export const cliAdapters: readonly AgentAdapter[] = [claudeAdapter, geminiAdapter];
