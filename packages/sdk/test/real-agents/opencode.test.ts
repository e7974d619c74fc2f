import { realAgentSuite } from './suite.js';

realAgentSuite('opencode', { startMs: 30_000, crowd: 6, dollars: true });
