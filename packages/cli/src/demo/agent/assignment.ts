export type RoleName = 'check-discovery' | 'check-repair' | 'planner' | 'plan-reviewer' | 'implementer' | 'fixer' | 'adversary';

/** What an agent is asked to do. */
export interface Assignment {
  readonly role: RoleName;
  /** Title and text of the ticket. */
  readonly ticket: string;
  /** The commit that the branch grew from, where it is named. */
  readonly base: string;
}

/** Words that only the instructions of one role hold. Roles that mention the files of others come before those. */
const WORDS: readonly (readonly [RoleName, RegExp])[] = [
  ['check-discovery', /shell script to \.relayflow\/check\.sh/],
  ['check-repair', /Never skip, delete or weaken a test/],
  ['adversary', /create the empty file review\.clean/],
  ['fixer', /Resolve each finding of review\.md/],
  ['implementer', /Write summary\.md/],
  ['plan-reviewer', /to reviewed-plan\.md/],
  ['planner', /Write the plan to plan\.md/],
];

/** Reads an instruction; `undefined` when it is for none of the roles. */
export function readAssignment(instruction: string): Assignment | undefined {
  const role = WORDS.find(([, words]) => words.test(instruction))?.[0];
  if (role === undefined) return undefined;
  const [, ticket = ''] = /^The ticket \([^\n]*\):\n\n# ([\s\S]*)$/m.exec(instruction) ?? [];
  const [, base = ''] = /git diff ([0-9a-f]{40,64})\b/.exec(instruction) ?? [];
  return { role, ticket, base };
}
