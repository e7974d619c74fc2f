/** For runtimes: what stands behind a flow handle. Authors do not need it. */
export { getFlowDefinition, isFlowHandle } from './definition.js';
export type { FlowDefinition, FlowHandlerDefinition } from './definition.js';
