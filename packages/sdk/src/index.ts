// Running flows.
export { createRuntime } from './run/create-runtime.js';
export { warmUpJournal } from './run/open-journal.js';
export type { AnswerRequest, HookImplementation, ResumeRequest, RunHandle, RunRequest, Runtime, RuntimeOptions, RunStatusView, SignalRequest } from './run/runtime.js';
export { hostFlow, type ExternalAttempt, type ExternalOptions, type HostBody, type HostContext } from './run/host-flow.js';
export type { AgentEvent, RunEvent } from './run/events.js';
export type { Diagnostic, HumanWait, RunReport, StepSummary } from './run/report.js';
export type { Spend } from './run/spend.js';

// From a file to a flow.
export { sealFlow, type SealOptions } from './flow/seal.js';
export { loadSealed, type LoadOptions } from './flow/load.js';
export type { LoadedFlow } from './flow/loaded.js';
export type { SealedFlow } from './flow/sealed.js';
export { findConfig, type FlowsConfig } from './flow/config.js';
export { headerProblems } from './flow/header.js';
export { readInput, INPUT_MAX_BYTES } from './flow/input.js';

// Errors.
export { FlowsError, isFlowsError, type ErrorEvidence } from './errors/flows-error.js';
export { ERROR_CODES, type ErrorCode } from './errors/codes.js';

// Ports and what is behind them.
export type { AgentAdapter } from './agents/port.js';
export type {
  Claim, ClaimRef, CompletedRecord, Completion, FinishedStatus, GateVerdict, Journal, ListFilter, NewRun, Outcome, OwnerIdentity, ProgressRecord, RunRecord, RunStatus,
  Signal, SourceRef, StaleRuns, StartedRecord, StepFailure, StepIdentity, StepKind, StepProgress, StepRecord, StepResult, StoredSource, Wait,
} from './journal/port.js';
export { createMemoryJournal } from './journal/memory.js';
export type { ProcessIdentity } from './process/identity.js';
export type { CapturedStream, ProcessOutcome, ProcessRequest, Shell, StepMarker, StopReason, StreamRequest, SupervisedProcess } from './process/port.js';
export { systemClock, type Clock, type Timer } from './ports/clock.js';
export type { Ids } from './ports/ids.js';
export type { JsonValue } from './ports/json.js';
export type { RedactionStream, Redactor } from './ports/redactor.js';
export { attemptFile, runDirectory, stepDirectory } from './journal/step-files.js';

// The question of a flow that stopped for input.
export { parseNeedsInput } from './needs-input/parse.js';
export { formatNeedsInput, type NeedsInputText } from './needs-input/format.js';
export { renderNeedsInput } from './needs-input/render.js';
export { NEEDS_INPUT_MAX_BYTES, NEEDS_INPUT_MAX_LINES, type NeedsInputCut, type NeedsInputRecord, type NeedsInputSource } from './needs-input/record.js';

// Change requests: the rest is in `@relayflows/sdk/forge`.
export { withChangeCommands } from './forge/step-path.js';

// For hosts with a terminal of their own.
export { captureFlowConsole } from './flow/flow-console.js';
export { killAllNow } from './process/live.js';

// What a run does with its agents before it needs them.
export { createAgentServices } from './agents/services.js';
export { preflightAgents, type AgentResolution, type Preflight } from './agents/preflight.js';
export { surveyAgents, type SurveyedAgent } from './agents/survey.js';
export { createRedactor } from './redaction/redactor.js';
