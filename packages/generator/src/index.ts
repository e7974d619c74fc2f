// From a draft to a flow.
export { generate } from './generate.js';
export { parseDraft, DraftError, type DraftProblem } from './draft/parse.js';
export { AGENTS, ROLES, WORKFLOWS, type Agent, type Draft, type DraftInput, type Role, type Workflow } from './draft/schema.js';

// A folder to begin with.
export { generateKit, KIT_FILES, type KitFile } from './kit/kit.js';
