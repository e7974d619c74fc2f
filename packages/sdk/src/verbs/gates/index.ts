export { evaluateGate, type GateCommand, type GateEvaluation } from './evaluate-gate.js';
export { validateGate } from './validate-gate.js';
