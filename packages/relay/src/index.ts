// Serving tickets from a program of one's own.
export { startServer, type RunningServer, type ServeOptions } from './server/start.js';
export { homeOf, type Home } from './host/home.js';
export { openServerLog, type LogFields, type LogLevel, type LogLine, type ServerLog } from './host/server-log.js';
export { createClient, type RelayClient } from './client/client.js';
export type { Api, EndpointName } from './server/api.js';
export type { RepoView, RetryView, RunDetail, RunPhase, RunRow, RunState, StepStatus, StepView, WorkflowDetail, WorkflowHealth, WorkflowSummary } from './server/answers.js';

// Workflows.
export { parseWorkflow, type ParsedWorkflow } from './workflow/parse.js';
export type { LifecycleNode, Route, WorkflowDefinition, WorkflowNode, WorkNode } from './workflow/definition.js';
export { toMermaid } from './workflow/graph/mermaid.js';
export { toSvg } from './workflow/graph/svg.js';

// Errors.
export { RelayError, isRelayError } from './errors/relay-error.js';
export { RELAY_ERROR_CODES, type ErrorKind, type RelayErrorCode } from './errors/codes.js';

// Ports, and what every implementation passes.
export type { MailboxSpec, RegistrationField, RepoBinding, TaskRepo, TaskSystem, Ticket, Transition } from './task/port.js';
export type { LifecyclePoint, TaskConfig, TaskConfigLayer } from './task/task-config.js';
export { taskSystemConformance } from './task/conformance.js';
export type { Runner, RunnerRepo, Terminal, TerminalCommand, Terminals, Workspace, WorkspaceRef, WorkspaceStatus } from './runner/port.js';
export { runnerConformance } from './runner/conformance.js';
export type { Harness, HeadlessHarness, HeadlessTurn, Launch, PromptTemplates, TerminalHarness, TerminalLaunch, TurnEnd, TurnReader } from './harness/port.js';
export { harnessConformance } from './harness/conformance.js';
