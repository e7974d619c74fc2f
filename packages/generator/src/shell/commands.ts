import { shellPart } from './parts.js';

/*
 * The shell parts of a flow, each as a script that runs by itself with a POSIX shell. Each ends with 0 whatever happens, prints one word (or records) on
 * standard output and what people read on standard error; its first lines say which words. Values come through the environment.
 */

/** Names a branch for the work: the id of the commit that it grows from, or `none`. */
export const FLOW_START_COMMAND = shellPart('start');
/** Keeps working files out of commits: `done`. */
export const FLOW_EXCLUDE_WORKING_FILES_COMMAND = shellPart('exclude');
/** Settles the check script: `script`, `default` or `none`. */
export const FLOW_CHECK_RESOLVE_COMMAND = shellPart('check-resolve');
/** Keeps the check script for later runs, or brings it back: `remembered`, `restored` or `none`. */
export const FLOW_CHECK_REMEMBER_COMMAND = shellPart('check-remember');
/** Runs the check script: `pass`, `fail`, `timeout`, `none` or `unrunnable`. */
export const FLOW_CHECK_RUN_COMMAND = shellPart('check-run');
/** Runs it on the base commit: the same words, or `unknown`. */
export const FLOW_BASE_CHECK_COMMAND = shellPart('base-check');
/** Whether the branch changes anything: `unchanged`, `changed` or `unknown`. */
export const FLOW_CHANGE_CHECK_COMMAND = shellPart('change-check');
/** Relays the question of an implementer, as records that `parseNeedsInput` of the sdk reads. */
export const FLOW_NEEDS_INPUT_COMMAND = shellPart('needs-input');
/** Takes working files out of what was committed: `done`. */
export const FLOW_DROP_WORKING_FILES_COMMAND = shellPart('drop');
/** Whether there is something to publish: `publish`, `no-summary` or `no-commits`. */
export const FLOW_PUBLISH_CHECK_COMMAND = shellPart('publish-check');
/** Writes the report on the checks and the description of the change: `written`. */
export const FLOW_CHECK_REPORT_COMMAND = shellPart('check-report');
/** Whether the change is fit to publish: `valid`, or a reason. */
export const FLOW_VALIDATE_CHANGE_METADATA_COMMAND = shellPart('change-metadata');
/** Pushes the branch: `pushed`, `pushed-without-workflows`, `up-to-date` or `failed`. */
export const FLOW_PUSH_COMMAND = shellPart('push');
/** Opens the change request: its address, or `failed`. */
export const FLOW_OPEN_CHANGE_COMMAND = shellPart('open-change');
/** Turns the change into a draft and posts the review: `done`. */
export const FLOW_REVIEW_BLOCKED_COMMAND = shellPart('review-blocked');
/** Ends what a run holds of its clone: `done`. */
export const FLOW_FINISH_COMMAND = shellPart('finish');
