import { inheritedEnvironment, type HostEnvironment } from '../../harness/inherited-environment.js';

/** They choose another database than the workspace does: with one of them inherited, writes would go there. */
const REDIRECTS = ['BEADS_DIR', 'BEADS_DB', 'BD_DB'] as const;

/** The whole environment of a `bd` that works on this workspace. Credentials of a shared database (`BEADS_DOLT_*`) are the server's. */
export function bdEnvironment(host: HostEnvironment, workspace: string): Readonly<Record<string, string>> {
  const kept = inheritedEnvironment(host);
  for (const name of REDIRECTS) delete kept[name];
  return { ...kept, BEADS_DIR: workspace };
}

/** What lets an agent's own `bd` work on this workspace, whatever the server's environment says. Variables of agents can only be set, so those that redirect are emptied. */
export function agentVariables(workspace: string): Readonly<Record<string, string>> {
  return { BEADS_DIR: workspace, BEADS_DB: '', BD_DB: '' };
}
