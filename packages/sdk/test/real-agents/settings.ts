import type { CliName } from './part-scenario.js';

export interface CliSettings {
  /** How long it takes until it does the first thing of its part, in milliseconds, on a machine that has nothing else to do. */
  readonly startMs: number;
  /** How many model calls the conformance suite makes at once or one after the other; twenty are made in a flow. */
  readonly crowd: number;
  /** It states what it costs, or its model here has a price. */
  readonly dollars: boolean;
  /** Scenarios in which it waits for more than a minute until it gives up: they wait beside each other. */
  readonly patient?: RegExp;
}

export const SETTINGS: Readonly<Record<CliName, CliSettings>> = {
  claude: { startMs: 6_000, crowd: 6, dollars: true },
  codex: { startMs: 6_000, crowd: 6, dollars: false },
  opencode: { startMs: 20_000, crowd: 4, dollars: true, patient: /told apart|is lost$/ },
  gemini: { startMs: 10_000, crowd: 4, dollars: false },
  pi: { startMs: 6_000, crowd: 6, dollars: true },
};
