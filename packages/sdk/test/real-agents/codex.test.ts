import { realAgentSuite } from './suite.js';

realAgentSuite('codex', { startMs: 10_000, crowd: 6, dollars: false });
