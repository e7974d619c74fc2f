import { realAgentFlows } from './suite.js';

realAgentFlows('pi');
