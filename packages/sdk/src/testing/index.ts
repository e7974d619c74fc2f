// Running a flow on simulated commands, agents, models, people and time.
export { simulate } from './simulate.js';
export type { SimulatedCall, SimulatedVerdict, SimulateOptions, Simulation } from './simulation.js';
export type { AgentAnswer, AgentCall, Call, Duration, HumanAnswer, HumanCall, LlmAnswer, LlmCall, RunAnswer, RunCall, Script } from './script.js';
