import { readRoles, type RoleAnswer } from './roles.js';
import { readSources, type SourceAnswer } from './sources.js';

type DraftInput = import('@relayflows/generator').DraftInput;

/** What somebody decided about a flow, by flags or by answering questions. What is missing was not decided. */
export interface Answers {
  readonly workflow?: string;
  /** In order: the first builds, the second reviews. */
  readonly agents?: readonly string[];
  readonly sources?: readonly SourceAnswer[];
  readonly roles?: readonly RoleAnswer[];
  readonly task?: string;
  readonly target?: string;
}

/** The answers that flags give. Throws `invalid_invocation` for a list that cannot be read; whether its members exist the generator knows. */
export function answersOf(values: Readonly<Record<string, string>>): Answers {
  const { workflow, agents, sources, roles, task, target } = values;
  return {
    ...(workflow === undefined ? {} : { workflow }),
    ...(agents === undefined ? {} : { agents: agents.split(',').map((name) => name.trim()) }),
    ...(sources === undefined ? {} : { sources: readSources(sources) }),
    ...(roles === undefined ? {} : { roles: readRoles(roles) }),
    ...(task === undefined ? {} : { task }),
    ...(target === undefined ? {} : { target }),
  };
}

/** A draft with the answers in it; they win over what it said before. The generator checks the whole. Pure. */
export function draftWith(draft: unknown, { roles, ...answers }: Answers): DraftInput {
  const before = typeof draft === 'object' && draft !== null ? (draft as Partial<DraftInput>) : {};
  const workflow = answers.workflow ?? before.workflow ?? 'traditional';
  const settings = Object.fromEntries((roles ?? []).map(({ role, ...rest }) => [`${workflow}:${role}`, { ...before.roles?.[`${workflow}:${role}`], ...rest }]));
  return {
    ...before,
    ...answers,
    ...(roles === undefined ? {} : { roles: { ...before.roles, ...settings } }),
  } as DraftInput;
}

/** What is taken where nobody decides. */
export const USUAL: DraftInput = { version: 1, sources: [{ kind: 'github' }], agents: ['claude'], workflow: 'traditional' };
