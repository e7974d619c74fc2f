// What drives a kind of coding agent.
export type {
  AgentAbilities, AgentAdapter, AgentFailure, AgentFailureCode, AgentIdentity, AgentOutcome, AgentPermissions, AgentRequest, AgentTurn, AgentUsage, FileIdentity,
  ProbeDeadlines, ProbeRequest, Supervise,
} from './port.js';
export { wrapperAdapter } from './wrapper/adapter.js';

// What adapters of CLIs that write one JSON object a line share.
export { driveCli, type CliCall, type Drive } from './driver/drive.js';
export type { CliFailure, CliResult, FailureKind, LogLine, TurnReader, TurnRecord } from './driver/turn-record.js';
export type { JsonRecord } from './driver/record.js';
export { ask as askCli, notSignedIn, requireVersion, type Question as CliQuestion } from './driver/probe.js';
export type { CliWords } from './driver/words.js';

// Reading a turn of Claude Code that one drives oneself.
export { ClaudeReader } from './clis/claude/reader.js';
export { failureKind } from './driver/failure-kind.js';
export { resetTime } from './driver/reset-time.js';
export { parseRecord } from './driver/record.js';

// What every adapter passes.
export { agentConformance, type AgentConformanceOptions, type AgentDeed, type AgentNeed, type AgentPart, type AgentRefusal, type AgentSetUp, type ModelRequest } from './conformance.js';

// Finding and asking agents before a run.
export { createAgentServices, type AgentServices, type AgentServicesOptions } from './services.js';
export type { ModelPrice, PriceOf } from './charge.js';
