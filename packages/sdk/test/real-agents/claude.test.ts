import { realAgentSuite } from './suite.js';

realAgentSuite('claude');
