import { realAgentSuite } from './suite.js';

realAgentSuite('opencode', { startMs: 20_000, crowd: 4, dollars: true, patient: /told apart|is lost$/ });
