import { realAgentFlows } from './suite.js';

realAgentFlows('opencode');
