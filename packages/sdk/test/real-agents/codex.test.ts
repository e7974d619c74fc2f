import { realAgentSuite } from './suite.js';

realAgentSuite('codex');
