import { realAgentFlows } from './suite.js';

realAgentFlows('gemini');
