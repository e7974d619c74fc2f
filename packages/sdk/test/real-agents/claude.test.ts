import { realAgentSuite } from './suite.js';

realAgentSuite('claude', { startMs: 6_000, crowd: 6, dollars: true });
