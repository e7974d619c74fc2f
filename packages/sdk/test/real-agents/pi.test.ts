import { realAgentSuite } from './suite.js';

realAgentSuite('pi', { startMs: 6_000, crowd: 6, dollars: true });
