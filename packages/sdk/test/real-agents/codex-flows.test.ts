import { realAgentFlows } from './suite.js';

realAgentFlows('codex');
