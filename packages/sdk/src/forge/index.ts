// Where change requests are opened.
export type { BranchRequest, Change, CommentRequest, Forge, OpenedChange, OpenRequest, ReviewRequest } from './port.js';
export { findForge, type FindForgeRequest } from './find-forge.js';
export { chooseForge, type ForgeChoice, type ForgeQuestion } from './remote/choose-forge.js';
export { parseRemote, type Remote } from './remote/parse-remote.js';
export type { Server } from './remote/server.js';
export type { Environment } from './environment.js';
export { systemPace, type Pace } from './http/pace.js';

// Texts that a forge takes.
export { BODY_MAX, fitBody } from './body/fit-body.js';

// What every forge passes.
export { forgeConformance, type ForgeConformanceOptions, type ForgeNeed, type ForgeSetUp } from './conformance.js';
