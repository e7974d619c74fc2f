import { realAgentSuite } from './suite.js';

realAgentSuite('opencode');
