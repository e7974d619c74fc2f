import { realAgentSuite } from './suite.js';

realAgentSuite('gemini');
