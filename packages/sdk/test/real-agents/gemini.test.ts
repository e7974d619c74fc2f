import { realAgentSuite } from './suite.js';

realAgentSuite('gemini', { startMs: 15_000, crowd: 4, dollars: false });
