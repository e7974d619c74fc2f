export { startStub, type StubOptions, type StubServer } from './server/start.js';
export type { LogEntry, OtherRequest, StubFault, StubRequest, StubResponse } from './server/log.js';

export type { ApiName, FileWrite, Match, RawAnswer, Refusal, RepeatedText, Scenario, ToolUse, Turn, Usage } from './scenario/scenario.js';
export { checkScenario, ScenarioError } from './scenario/check.js';
export { readScenario, SHIPPED_SCENARIOS, shippedScenario, type ShippedScenario } from './scenario/read.js';

export { makeHome, type Home, type HomeOptions } from './home/make-home.js';
export { agentCli, agentCacheFolder, type InstalledCli } from './clis/installed.js';
export { PINNED_CLIS, type AgentCliName, type PinnedCli } from './clis/pinned.js';
