import { realAgentFlows } from './suite.js';

realAgentFlows('claude');
