import { realAgentSuite } from './suite.js';

realAgentSuite('pi');
