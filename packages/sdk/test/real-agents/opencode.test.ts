import { realAgentSuite } from './suite.js';

realAgentSuite('opencode', { startMs: 30_000, crowd: 4, dollars: true });
