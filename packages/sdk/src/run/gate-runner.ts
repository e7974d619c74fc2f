import type { GateVerdict } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import { stepEnvironment } from '../process/environment.js';
import { evaluateGate, validateGate } from '../verbs/gates/index.js';
import { RUN_TIMEOUT_DEFAULT } from './duration.js';
import type { LiveStep, StepGate } from './live-step.js';
import type { SessionFacts } from './services.js';
import { attemptFile } from '../journal/step-files.js';

/** Checks a gate when it is put on a step. Throws the gate's error. */
export function checkGate(gate: StepGate): void {
  if (gate.type === 'named') validateGate(gate.gate);
}

/** What of a gate belongs to the step's fingerprint. A predicate is code and cannot be compared. */
export function gateRequest(gate: StepGate | undefined): JsonValue | undefined {
  if (gate === undefined) return undefined;
  return gate.type === 'named' ? gate.gate : 'predicate';
}

/** Asks the gate of a step about its journaled value. `stopped` when the run was stopped meanwhile: the gate is asked again on resume. */
export async function runGate(args: { readonly step: LiveStep; readonly value: JsonValue; readonly facts: SessionFacts }): Promise<GateVerdict | 'stopped'> {
  const { step, facts, value } = args;
  if (step.gate === undefined) return { passed: true };
  const { machine } = facts.services;
  const stepDirectory = machine.stepDirectory({ runDir: facts.run.cwd, cwd: directoryOf(step) });
  const verdict = await evaluateGate({
    gate: step.gate,
    stepId: step.id,
    value,
    input: step.scope.input,
    stepDirectory,
    artifactProblem: machine.artifactProblem,
    warn: (code, text) => facts.warn(code, text, step.id),
    runCommand: async ({ command, stdin }) => {
      const marker = { runId: facts.run.runId, stepId: `${step.id}.gate`, attempt: 1 };
      const file = (suffix: string): string => attemptFile({ dataDir: facts.run.dataDir, ...marker, suffix });
      const process = facts.services.shell.run({
        command,
        cwd: stepDirectory,
        env: stepEnvironment({ host: facts.run.hostEnv, secrets: 'inherit', runVariables: { RELAYFLOW_DATA_DIR: facts.run.dataDir } }),
        marker,
        ...(stdin === undefined ? {} : { input: stdin }),
        timeoutMs: RUN_TIMEOUT_DEFAULT,
        signal: step.stop.signal,
        sweep: 'group',
        stdout: { redaction: facts.services.redact.stream(), logPath: file('stdout.log') },
        stderr: { redaction: facts.services.redact.stream(), logPath: file('stderr.log') },
      });
      return process.outcome;
    },
  });
  if (step.stop.signal.aborted && !verdict.passed) return 'stopped';
  return facts.services.redact.json(verdict as unknown as JsonValue) as unknown as GateVerdict;
}

function directoryOf(step: LiveStep): string | undefined {
  const request = step.request as { readonly cwd?: unknown } | undefined;
  return typeof request?.cwd === 'string' ? request.cwd : undefined;
}
