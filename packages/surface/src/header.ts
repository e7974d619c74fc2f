import { describeValue } from './describe-value.js';
import { headerProblems } from './header-rules.js';
import { copyPlainData, freezeDeep } from './plain-data.js';

/** What a flow declares about itself before it runs. Every member is optional, and all of it is plain data. */
export interface FlowHeader {
  /** Child flows that `f.dispatch` may call: relative paths such as `./lint.flow.ts`. */
  use?: string[];
  /** The version of this flow, as in semver. */
  version?: string;
  /** Names that `f.hook` may ask. */
  hooks?: string[];
  /** What the run may spend: `"$5/run"`, `"$20/day"`, or limits of their own. Read when the flow is checked or run. */
  budget?: string | FlowBudget;
  /** Declared for hosts; `agent` is refused when the flow runs. */
  memory?: FlowMemory;
  /** MCP servers and service helpers the flow may use. `relayfile` is refused when the flow runs. */
  tools?: FlowTools;
  /** Reserved: accepted here, refused when the flow runs. */
  identity?: string;
  /** Reserved: accepted here, refused when the flow runs. */
  workspace?: string;
  /** Coding agents by the name that `f.agent(name, …)` uses. */
  agents?: Record<string, FlowAgent>;
}

/** Limits of a run; at least one. A step is refused once more than a limit has been spent. */
export interface FlowBudget {
  /** Input plus output tokens. */
  tokens?: number;
  /** Dollars, with at most six decimals. */
  dollars?: number;
  /** The sum of the steps' durations: `<n>` followed by `ms`, `s`, `m`, `h` or `d`. */
  wallclock?: string;
}

export interface FlowMemory {
  script?: boolean;
  agent?: boolean;
}

export interface FlowTools {
  relayfile?: string[];
  mcp?: string[];
  [helper: string]: boolean | string[] | undefined;
}

/** A named coding agent. Both fields are trimmed and must not be blank. */
export interface FlowAgent {
  /** The command of its CLI, by name or path: `claude`, `codex`, `opencode`, `gemini`, `pi`, a wrapper program, or a CLI that the host has an adapter for. */
  cli: string;
  /** The model to ask it for. */
  model: string;
}

/**
 * A deeply frozen copy of a header, made without calling anything of the author's.
 *
 * @throws TypeError that names every problem with its path.
 */
export function copyHeader(header: unknown, flowName: string): FlowHeader {
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw new TypeError(`flow "${flowName}": the header must be an object, got ${describeValue(header)}`);
  }
  const copy = copyPlainData(header, 'header') as Record<string, unknown>;
  const { unknownKeys, invalidValues } = headerProblems(copy);
  if (unknownKeys.length > 0) throw new TypeError(`unsupported_header: ${[...unknownKeys, ...invalidValues].join('; ')}`);
  if (invalidValues.length > 0) throw new TypeError(`flow "${flowName}": ${invalidValues.join('; ')}`);
  return freezeDeep(withTrimmedAgents(copy)) as FlowHeader;
}

function withTrimmedAgents(header: Record<string, unknown>): Record<string, unknown> {
  const agents = header['agents'] as FlowHeader['agents'];
  if (agents === undefined) return header;
  const trimmed = Object.entries(agents).map(([name, agent]) => [name, { cli: agent.cli.trim(), model: agent.model.trim() }]);
  return { ...header, agents: Object.fromEntries(trimmed) };
}
