import { FlowsError } from '@relayflows/sdk';

/** Who plays a role, where it is not who usually does. */
export interface RoleAnswer {
  readonly role: string;
  readonly agent?: string;
  readonly model?: string;
}

/** Reads the roles of a flag: `planner=codex,adversary=claude/opus,fixer=/sonnet`. A model stands behind the first slash. Throws `invalid_invocation`. */
export function readRoles(text: string): readonly RoleAnswer[] {
  return text.split(',').map((entry) => {
    const [, role = '', agent = '', model = ''] = /^\s*([^=\s]+)=([^/\s]*)(?:\/(\S+))?\s*$/.exec(entry) ?? [];
    if (role === '' || (agent === '' && model === '')) {
      throw new FlowsError('invalid_invocation', `\`--roles\` cannot be read: ${JSON.stringify(text)}.`, { hint: 'Write a role with its agent, its model, or both: `planner=codex,adversary=claude/opus,fixer=/sonnet`.' });
    }
    return { role, ...(agent === '' ? {} : { agent }), ...(model === '' ? {} : { model }) };
  });
}
