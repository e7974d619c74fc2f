import { realAgentSuite } from './suite.js';

realAgentSuite('claude', { startMs: 10_000, crowd: 6, dollars: true });
