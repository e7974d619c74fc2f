/**
 * What the engine does about an error. It travels as a word, because an error's class does not survive being recorded.
 *
 * `transient` tried again until it succeeds · `conflict` the same, and shown as blocked until a person has put it right · `auth`, `permission` the same
 * inside a run, fatal when a server starts · `terminal` refused; inside a run tried again with the adapter's words · `missing` not there, or not visible ·
 * `malformed` an answer that nobody can read.
 */
export type ErrorKind = 'transient' | 'conflict' | 'auth' | 'permission' | 'terminal' | 'missing' | 'malformed';

interface CodeFacts {
  readonly kind: ErrorKind;
  readonly meaning: string;
}

const code = (kind: ErrorKind, meaning: string): CodeFacts => ({ kind, meaning });

/** Every stable error code of relay-flow. `docs/relay-errors.md` has an entry per code, and a test compares the two. */
export const RELAY_ERROR_CODES = {
  // Task systems.
  task_unavailable: code('transient', 'The task system does not answer, or answered that it cannot at the moment.'),
  task_conflict: code('conflict', 'A ticket or mailbox is in a state from which the step cannot go on.'),
  task_auth: code('auth', 'The task system refused the credentials.'),
  task_permission: code('permission', 'The task system does not allow this to the account in use.'),
  task_rejected: code('terminal', 'The task system refused what was asked of it.'),
  task_missing: code('missing', 'A ticket, mailbox, project or folder does not exist, or is not visible with these credentials.'),
  task_malformed: code('malformed', 'The task system answered with something that is not what its interface promises.'),
  task_config_invalid: code('terminal', 'A taskConfig has a mistake.'),

  // Runners.
  runner_unavailable: code('transient', 'The runner does not answer at the moment.'),
  runner_conflict: code('conflict', 'A workspace or terminal is in a state that a person must look at.'),
  runner_rejected: code('terminal', 'The runner refused what was asked of it.'),
  runner_missing: code('missing', 'A repository, workspace or terminal does not exist.'),
  runner_malformed: code('malformed', 'The runner answered with something that is not what its interface promises.'),
  runner_unsaved_work: code('conflict', 'A workspace holds work that is not committed or not pushed, so it was not removed.'),

  // Harnesses.
  harness_unavailable: code('transient', 'The coding agent could not be started.'),
  harness_missing: code('missing', 'The executable of the coding agent is not on the PATH of the server.'),
  harness_rejected: code('terminal', 'The harness cannot be used like that: an unknown agent, or a wrong setting.'),
  harness_no_report: code('conflict', 'An agent was asked again as often as is allowed and gave no valid report.'),

  // The machine and its configuration.
  home_unusable: code('terminal', 'The home of relay-flow does not exist, cannot be used, or its path is too long for a socket.'),
  home_exists: code('conflict', 'The home has a configuration or a database already.'),
  config_invalid: code('terminal', 'config.yaml has a mistake.'),
  credentials_invalid: code('auth', 'Credentials are missing or have a mistake.'),
  workflow_invalid: code('terminal', 'A workflow has a mistake.'),
  workflow_unknown: code('missing', 'No workflow of this name is stored.'),
  workflow_busy: code('conflict', 'A workflow has runs that have not ended.'),
  repo_invalid: code('terminal', 'A repository cannot be registered like that.'),
  repo_unknown: code('missing', 'No repository of this name is registered.'),
  repo_busy: code('conflict', 'A repository is named by a workflow, or has runs that have not ended.'),

  // Runs.
  run_unknown: code('missing', 'There is no run for this ticket.'),
  run_conflict: code('conflict', 'The run is in a state in which this cannot be done.'),
  report_invalid: code('terminal', 'A report breaks the contract. It is not tried again: the agent must write another.'),

  // The server.
  server_running: code('conflict', 'A server for this home is running.'),
  server_unreachable: code('transient', 'No server for this home is running, or it does not answer.'),
  database_missing: code('missing', 'The home has no database.'),
  request_invalid: code('terminal', 'A request to the server, or an argument of the command, has a mistake.'),
  not_found: code('missing', 'There is nothing at this address of the server.'),
  method_not_allowed: code('terminal', 'The server does not do that at this address.'),
  internal_error: code('transient', 'A bug, or a failure of the machine.'),
} as const satisfies Record<string, CodeFacts>;

export type RelayErrorCode = keyof typeof RELAY_ERROR_CODES;
