// What drives a kind of coding agent.
export type {
  AgentAbilities, AgentAdapter, AgentFailure, AgentFailureCode, AgentIdentity, AgentOutcome, AgentPermissions, AgentRequest, AgentTurn, AgentUsage, FileIdentity,
  ProbeDeadlines, ProbeRequest, Supervise,
} from './port.js';
export { wrapperAdapter } from './wrapper/adapter.js';

// What every adapter passes.
export { agentConformance, type AgentConformanceOptions, type AgentDeed, type AgentNeed, type AgentPart, type AgentRefusal, type AgentSetUp, type ModelRequest } from './conformance.js';

// Finding and asking agents before a run.
export { createAgentServices, type AgentServices, type AgentServicesOptions } from './services.js';
export type { ModelPrice, PriceOf } from './charge.js';
