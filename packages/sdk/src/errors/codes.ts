/**
 * Every stable error code, the exit status a command ends with, and one line on what it means.
 * `docs/errors.md` has an entry per code, and a test compares the two.
 */
export interface ErrorCodeFacts {
  /** 1 the run failed, 2 refused before anything was journaled, 3 parked. */
  readonly exit: 1 | 2 | 3;
  readonly meaning: string;
}

const refused = (meaning: string) => ({ exit: 2, meaning }) as const;
const failed = (meaning: string) => ({ exit: 1, meaning }) as const;

export const ERROR_CODES = {
  // Loading and checking a flow.
  invalid_spec: refused('The file is not a flow: wrong name, syntax error, no default export of flow(), or its top level threw.'),
  unsupported_header: refused('The header has an unknown key, or one this runtime does not run.'),
  use_not_found: refused('A child flow listed in `use` does not exist.'),
  use_invalid: refused('A `use` entry is not a relative path to a *.flow.ts file, or is listed twice.'),
  use_cycle: refused('Child flows use each other in a circle.'),
  config_invalid: refused('flows.json has an unknown key or a wrong value.'),
  budget_syntax_invalid: refused('The budget in the header cannot be read.'),
  source_mismatch: refused('The stored source of a run no longer has the digest it was stored under.'),
  bundler_unavailable: refused('The esbuild executable that bundles flows is not installed for this platform or does not run.'),
  module_not_stored: refused('The bundled flow could not be written to a file, so it cannot be loaded.'),
  dependency_changed: refused('A package the flow imports is missing or has another version than when the run began.'),

  // Invocation and input.
  invalid_invocation: refused('A command was called with a wrong, unknown or repeated argument.'),
  input_missing: refused('The flow needs an input and none was given.'),
  input_invalid: refused('The input is not JSON.'),
  input_too_large: refused('The input has more than 1,048,576 bytes.'),
  input_unreadable: refused('The input file cannot be read.'),
  draft_invalid: refused('The draft of a flow has a mistake.'),
  file_exists: refused('A file that was to be written exists already.'),
  file_unwritable: refused('A file that was to be written could not be.'),
  run_unknown: refused('No run was named, and none can be found from the environment.'),
  run_not_found: refused('The journal has no run of this id.'),
  run_ambiguous: refused('An abbreviated run id fits more than one run.'),
  run_finished: refused('The run has ended, so this can no longer be done to it.'),
  run_owned: refused('The run is being executed by a process that is alive.'),
  run_exists: refused('A run of this id exists already.'),
  run_not_registered: refused('The run belongs to a flow registered by name, and this runtime has no such flow and version.'),
  step_not_found: refused('The run has no step of this id.'),
  cwd_invalid: refused('The directory a run was to start in does not exist or is not a directory.'),

  // Journal.
  journal_unavailable: refused('The journal cannot be opened or created.'),
  journal_corrupt: refused('The journal file is damaged.'),
  journal_newer: refused('The journal was written by a newer version.'),
  journal_busy: refused('Another process holds the journal locked.'),
  journal_full: failed('The disk or the quota is full, so the journal could not be written.'),
  journal_io: failed('The journal could not be read or written.'),
  stale_owner: failed('Another process has taken the run over; this one may no longer write.'),
  replay_mismatch: refused('The body does not repeat what the journal recorded.'),
  engine_flag_unknown: refused('The run was recorded with an engine behaviour this version does not know.'),

  // Lifecycle of a body.
  missing_completion: failed('The body ended without calling done().'),
  duplicate_completion: failed('done() was called twice.'),
  operation_after_completion: failed('A step was created after done().'),
  unawaited_step: failed('A step was created and never awaited; it did not run.'),
  unsettled_derived_work: failed('Work chained to a step was still running when done() was called.'),
  operation_callback_failed: failed('A callback chained to a step failed and nobody handled it.'),
  unsupported_completion: failed('done() was given a reason or a detail it does not accept.'),
  body_failed: failed('The body of the flow threw.'),
  unsupported_verb: failed('The flow uses something this runtime does not provide.'),
  journal_protocol_violation: failed('The runtime and its journal disagree; this is a bug.'),

  // Steps.
  step_failed: failed('A command ended with a non-zero status.'),
  lease_exceeded: failed('A step ran longer than its timeout.'),
  timeout_invalid: failed('A duration cannot be read or is out of range.'),
  env_invalid: failed('An environment variable cannot be given to a process.'),
  cwd_not_allowed: failed('A step directory lies outside the run directory or cannot be used.'),
  options_invalid: failed('A step was created with options it does not accept.'),
  spawn_failed: failed('A process could not be started.'),
  worker_error: failed('An agent or a process ended in an error.'),
  crashed: failed('A process was lost: killed by a signal, or its transport broke.'),
  external_failed: failed('What a host does as a step of its own flow failed.'),
  canceled: failed('The run was canceled.'),
  budget_exceeded: failed('The budget is spent, so no further step is started.'),
  verification_failed: failed('A reply did not have the shape that was asked for.'),

  // Gates.
  gate_failed: failed('A gate did not pass.'),
  unsupported_gate: failed('A step was given a second gate, or a gate it cannot have.'),
  unknown_gate_kind: failed('A named gate has an unknown type.'),
  gate_command_missing: failed('A subprocess gate has no command.'),
  gate_bound_invalid: failed('The bounds of a word-count gate are not usable.'),
  gate_pattern_invalid: failed('The pattern or the flags of a regex gate are not usable.'),

  // People.
  human_answer_invalid: failed('A question or an answer is not usable.'),
  human_to_invalid: failed('The addressee of a question is not usable.'),
  human_wait_unknown: refused('There is no open question of this id, or it was answered before.'),

  // Child flows.
  dispatch_unknown: failed('The flow has no child of this name.'),
  dispatch_invalid: refused('A child flow or its input cannot be dispatched.'),
  dispatch_depth_exceeded: failed('Child flows are nested more than three deep.'),
  dispatch_failed: failed('A child flow ended with a verdict other than success.'),

  // Agents.
  agent_cli_unresolved: failed('An agent step has options that cannot be resolved.'),
  llm_cli_unresolved: failed('A model call has options that cannot be resolved.'),
  cli_unresolved: refused('No coding-agent CLI is named for a step.'),
  cli_missing: refused('The coding-agent CLI is not installed.'),
  cli_unauthenticated: refused('The coding-agent CLI is not signed in.'),
  cli_unsupported: refused('The executable is not a coding agent this runtime can drive.'),
  cli_outdated: refused('The coding-agent CLI is too old.'),
  provider_usage_limited: refused('The provider refuses further use for now.'),
  provider_unavailable: failed('The provider is failing.'),
  model_unavailable: refused('The model is not on the allow list, or the provider does not offer it.'),
  model_unknown: refused('The name of the model is not usable.'),
  probe_failed: refused('A coding-agent CLI did not answer when it was asked about itself.'),
  permission_violated: failed('An agent changed what its permissions do not allow.'),
  unsupported_workspace_permission: failed('A workspace name carries a permission suffix.'),

  // Change requests.
  forge_unknown: failed('It is not known where the change requests of a repository are opened.'),
  forge_unauthenticated: failed('The forge was given no credentials, or refuses them.'),
  forge_refused: failed('The forge refuses what it was asked to do.'),
  forge_limited: failed('The forge takes no more requests for now.'),
  forge_unreachable: failed('The forge cannot be reached, or is failing.'),
  change_not_found: failed('The branch has no open change request.'),

  // Simulations.
  simulation_invalid: refused('A simulated run has no script for a call, or one that failed or answered with what cannot be.'),

  // Bugs.
  internal_error: failed('The command met an error it does not know: a bug.'),
} as const satisfies Record<string, ErrorCodeFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;
