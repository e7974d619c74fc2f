import { z } from 'zod';

/** Coding agents that a draft may name, in the order in which a wizard offers them. */
export const AGENTS = ['claude', 'codex', 'opencode', 'gemini', 'pi'] as const;
export type Agent = (typeof AGENTS)[number];

export const WORKFLOWS = ['simple', 'traditional', 'prototype'] as const;
export type Workflow = (typeof WORKFLOWS)[number];

/** What agents do in a workflow. */
export const ROLES = {
  simple: ['implementer', 'check-discovery', 'check-repair'],
  traditional: ['planner', 'plan-reviewer', 'implementer', 'adversary', 'fixer', 'check-discovery', 'check-repair'],
  prototype: ['prototype-1', 'prototype-2', 'prototype-3', 'comparator', 'implementer', 'adversary', 'fixer', 'check-discovery', 'check-repair'],
} as const satisfies Record<Workflow, readonly string[]>;
export type Role = (typeof ROLES)[Workflow][number];

export const TASK_MAX = 600;
const PROMPT_MAX = 4_000;

const text = z.string().trim().min(1).max(200);
const labels = z.array(text).max(50).optional();

const source = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('github'), repository: text.regex(/^[^/\s]+\/[^/\s]+$/, 'is written owner/name').optional(), labels }),
  z.strictObject({ kind: z.literal('gitlab'), project: text.optional(), labels }),
  z.strictObject({ kind: z.literal('linear'), team: text.optional(), project: text.optional(), labels }),
  z.strictObject({ kind: z.literal('shortcut'), workspace: text.optional(), team: text.optional(), labels }),
  z.strictObject({ kind: z.literal('jira'), project: text.optional(), labels }),
  z.strictObject({ kind: z.literal('slack'), channel: text.optional(), contains: text.optional(), mentioned: z.boolean().optional() }),
  z.strictObject({ kind: z.literal('markdown'), path: text.default('tasks.md') }),
]);

const roleSettings = z.strictObject({
  agent: z.enum(AGENTS).optional(),
  model: z.string().trim().min(1).max(200).regex(/^\S+$/, 'has no blanks').optional(),
  prompt: z.string().trim().min(1).max(PROMPT_MAX).optional(),
});

const roleKeys = Object.entries(ROLES).flatMap(([workflow, roles]) => roles.map((role) => `${workflow}:${role}`));

/** A draft as it is written: what a flow is generated from. Unknown members are refused, each problem with its path. */
export const draftSchema = z.strictObject({
  version: z.literal(1),
  sources: z.array(source).min(1).refine((list) => new Set(list.map(({ kind }) => kind)).size === list.length, 'names a source twice'),
  /** The first builds, the second distinct one reviews. */
  agents: z.array(z.enum(AGENTS)).min(1).max(AGENTS.length),
  workflow: z.enum(WORKFLOWS),
  roles: z.partialRecord(z.enum(roleKeys as [string, ...string[]]), roleSettings).default({}),
  /** Instructions that every builder gets besides the ticket. */
  task: z.string().trim().max(TASK_MAX).default(''),
  /** `cloud`: a host filters the tickets. `local`: the flow does, and says why it leaves one alone. */
  target: z.enum(['cloud', 'local']).default('cloud'),
});

/** As it is written; defaults may be left out. */
export type DraftInput = z.input<typeof draftSchema>;
/** Checked, with its defaults. */
export type Draft = z.output<typeof draftSchema>;
export type Source = Draft['sources'][number];
