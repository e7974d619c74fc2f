import { realAgentSuite } from './suite.js';

realAgentSuite('gemini', { startMs: 10_000, crowd: 4, dollars: false });
