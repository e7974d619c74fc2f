import { realAgentSuite } from './suite.js';

realAgentSuite('pi', { startMs: 10_000, crowd: 6, dollars: true });
