import { realAgentSuite } from './suite.js';

realAgentSuite('codex', { startMs: 6_000, crowd: 6, dollars: false });
