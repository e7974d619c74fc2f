/** The environment of the server. */
export type HostEnvironment = Readonly<Record<string, string | undefined>>;

/** What git tells its hooks about their own call: a server that was started by one would have agents commit there. */
const GIT_CALL = new Set(['GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_COMMON_DIR', 'GIT_DIR', 'GIT_INDEX_FILE', 'GIT_NAMESPACE', 'GIT_OBJECT_DIRECTORY', 'GIT_PREFIX', 'GIT_QUARANTINE_PATH', 'GIT_WORK_TREE']);

/** Credentials of task systems: the server signs in with them, agents never do. */
const TASK_CREDENTIAL = /^(?:ATLASSIAN|JIRA|LINEAR)_(?:.*_)?(?:TOKEN|KEY|EMAIL|USER|USERNAME|PASSWORD|PAT|SECRET)$/;

/** The shell that started the server describes itself in these. */
const SHELL_STATE = new Set(['OLDPWD', 'PWD', 'SHLVL', '_']);

/**
 * What the processes of agents inherit from the server: everything (PATH, HOME, proxies, keys of model providers, tokens for git and forges) but
 * `RELAY_FLOW_*` variables, which would be about another run; credentials of task systems; what a git hook or a shell says about its own call; and the
 * switches by which a program tells what it starts that it runs inside Claude Code, which would change how agents behave.
 */
export function inheritedEnvironment(host: HostEnvironment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && !isLeftOut(name)) kept[name] = value;
  }
  return kept;
}

function isLeftOut(name: string): boolean {
  return name.startsWith('RELAY_FLOW_') || GIT_CALL.has(name) || SHELL_STATE.has(name) || TASK_CREDENTIAL.test(name) || name === 'CLAUDECODE' || name === 'CLAUDE_CODE_ENTRYPOINT';
}
