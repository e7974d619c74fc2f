// Declaring a flow.
export { flow } from './flow.js';
export type { FlowBody, FlowHandle, TriggeredFlowHandle, TriggerHandler } from './flow.js';
export type { FlowAgent, FlowBudget, FlowHeader, FlowMemory, FlowTools } from './header.js';

// What a body is given.
export type { Ctx } from './context.js';
export type { Step } from './step.js';
export type { NamedGate } from './gates.js';

// One file per verb: options and results.
export type { RunOptions, RunResult } from './verbs/run.js';
export type { LlmOptions } from './verbs/llm.js';
export type { AgentOptions, AgentPermissions, AgentResult } from './verbs/agent.js';
export type { HumanOptions } from './verbs/human.js';
export type { DispatchResult } from './verbs/dispatch.js';
export type { Activity, ActivityOptions, ActivityUpdate } from './verbs/activity.js';
export type { MemoryHelper, MemoryItem, MemoryRecallOptions } from './verbs/memory.js';
export type { DoneOptions } from './verbs/done.js';

// How a flow, a run and a step attempt end.
export {
  COMPLETION_DETAIL_MAX_CODE_POINTS,
  COMPLETION_REASONS,
  FLOW_COMPLETION_REASONS,
  RUN_COMPLETION_REASONS,
} from './completion.js';
export type { CompletionReason, FlowCompletionReason, RunCompletionReason } from './completion.js';

// Triggers and tickets, as data.
export { github, schedule, slack, webhook } from './triggers.js';
export type {
  CronTrigger,
  IntervalTrigger,
  ProviderTrigger,
  ProviderTriggers,
  TriggerSource,
  WebhookFilter,
  WebhookFilterValue,
  WebhookTrigger,
} from './triggers.js';
export { matchesIssue } from './issues.js';
export type { Issue, IssueSource, SourceFilters } from './issues.js';
