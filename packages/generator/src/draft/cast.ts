import { ROLES, type Agent, type Draft, type Role } from './schema.js';

/** Who plays a role, and how. */
export interface Part {
  readonly agent: Agent;
  readonly model?: string;
  /** Replaces the role's own instructions. */
  readonly prompt?: string;
}

/** Those who look at what others made: the second agent of a draft plays them, where there is one. */
const REVIEWERS: ReadonlySet<Role> = new Set(['plan-reviewer', 'adversary', 'comparator']);

/** The parts of a draft's workflow, in the order of its roles. Pure. */
export function castOf(draft: Draft): ReadonlyMap<Role, Part> {
  const [builder, ...others] = draft.agents;
  if (builder === undefined) throw new TypeError('A draft names at least one agent.');
  const reviewer = others.find((agent) => agent !== builder) ?? builder;
  return new Map(ROLES[draft.workflow].map((role, at) => {
    const { agent, model, prompt } = draft.roles[`${draft.workflow}:${role}`] ?? {};
    const usual = REVIEWERS.has(role) ? reviewer : role.startsWith('prototype-') ? (draft.agents[at % draft.agents.length] ?? builder) : builder;
    return [role, { agent: agent ?? usual, ...(model === undefined ? {} : { model }), ...(prompt === undefined ? {} : { prompt }) }];
  }));
}
