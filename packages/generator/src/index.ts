// From a draft to a flow.
export { generate } from './generate.js';
export { parseDraft, DraftError, type DraftProblem } from './draft/parse.js';
export { AGENTS, ROLES, WORKFLOWS, type Agent, type Draft, type DraftInput, type Role, type Workflow } from './draft/schema.js';

// A folder to begin with.
export { generateKit, KIT_FILES, type KitFile } from './kit/kit.js';

// The shell parts of flows.
export {
  FLOW_BASE_CHECK_COMMAND, FLOW_CHANGE_CHECK_COMMAND, FLOW_CHECK_REMEMBER_COMMAND, FLOW_CHECK_REPORT_COMMAND, FLOW_CHECK_RESOLVE_COMMAND,
  FLOW_CHECK_RUN_COMMAND, FLOW_DROP_WORKING_FILES_COMMAND, FLOW_EXCLUDE_WORKING_FILES_COMMAND, FLOW_FINISH_COMMAND, FLOW_NEEDS_INPUT_COMMAND,
  FLOW_OPEN_CHANGE_COMMAND, FLOW_PUBLISH_CHECK_COMMAND, FLOW_PUSH_COMMAND, FLOW_REVIEW_BLOCKED_COMMAND, FLOW_START_COMMAND,
  FLOW_VALIDATE_CHANGE_METADATA_COMMAND,
} from './shell/commands.js';
