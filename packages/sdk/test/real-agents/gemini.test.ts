import { realAgentSuite } from './suite.js';

realAgentSuite('gemini', { startMs: 15_000, crowd: 6, dollars: false });
