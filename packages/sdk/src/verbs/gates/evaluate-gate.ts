import type { NamedGate } from '@relayflows/surface';
import type { GateVerdict } from '../../journal/port.js';
import type { JsonValue } from '../../ports/json.js';
import type { ProcessOutcome } from '../../process/port.js';
import { artifactProblem, unscannedDirectory } from './artifact.js';
import { compileLinearPattern } from './linear-pattern.js';
import { askPredicate } from './predicate.js';
import { formatPath, isAgentResult, outputText, select, textOf } from './selection.js';

/** What failures quote of each stream, in characters from the end. */
const TAIL = 4_000;

export interface GateCommand {
  readonly command: string;
  /** Written to standard input; absent: standard input is closed. */
  readonly stdin?: string;
}

export interface GateEvaluation {
  readonly gate: { readonly type: 'predicate'; readonly check: (value: never) => unknown; readonly because?: string } | { readonly type: 'named'; readonly gate: NamedGate };
  /** The step that the gate is on. */
  readonly stepId: string;
  /** The journaled value of the step. */
  readonly value: JsonValue;
  /** The input of the flow. */
  readonly input: JsonValue;
  /** Absolute path. */
  readonly stepDirectory: string;
  /** How a file is looked for. Default: on the disk. */
  readonly artifactProblem?: typeof artifactProblem;
  /** Runs a shell command in the step's directory. Its output comes back redacted. */
  readonly runCommand: (command: GateCommand) => Promise<ProcessOutcome>;
  readonly warn: (code: string, text: string) => void;
}

type Evidence = { readonly [key: string]: JsonValue };
/** Why a gate did not pass, as the end of a sentence, and what backs it up; `undefined` when it passed. */
type Failure = { readonly problem: string; readonly evidence: Evidence } | undefined;

/** Asks a gate about the value of a step that succeeded. A gate that cannot be asked has not passed. */
export async function evaluateGate(evaluation: GateEvaluation): Promise<GateVerdict> {
  const { gate, stepId, value } = evaluation;
  if (gate.type === 'predicate') {
    const verdict = askPredicate(gate.check, value);
    if (verdict.passed) return verdict;
    return failed(`The gate of ${stepId} did not pass${gate.because === undefined ? '' : ` (${gate.because})`}: ${verdict.problem}.`, {
      gate: 'predicate',
      ...(gate.because === undefined ? {} : { because: gate.because }),
    });
  }
  const failure = await ask(gate.gate, evaluation);
  if (failure === undefined) return { passed: true };
  return failed(`The gate ${gate.gate.type} of ${stepId} did not pass: ${failure.problem}.`, { gate: gate.gate.type, ...failure.evidence });
}

function failed(text: string, evidence: Evidence): GateVerdict {
  return {
    passed: false,
    error: { code: 'gate_failed', text, hint: 'Look at what the step produced; mend the step or the gate.', completionReason: 'verification_failed', evidence },
  };
}

function ask(gate: NamedGate, evaluation: GateEvaluation): Failure | Promise<Failure> {
  switch (gate.type) {
    case 'references_input':
      return withText(gate.in_output_at, evaluation, (text) => askReference(gate.input_key, evaluation.input, text));
    case 'regex_match':
      return withText(gate.in_output_at, evaluation, (text) => askPattern(gate, text));
    case 'word_count_bounds':
      return withText(undefined, evaluation, (text) => askWordCount(gate, text));
    case 'subprocess_gate':
      return askCommand(gate, evaluation);
    case 'artifact_exists':
      return askArtifact(gate.path, evaluation);
  }
}

/** Selects the text that a gate looks at. An agent that was stopped at its limit left evidence, not an output. */
function withText(path: readonly (string | number)[] | undefined, { value }: GateEvaluation, look: (text: string) => Failure): Failure {
  if (isTimedOutAgent(value)) return { problem: 'the agent was stopped at its time limit, so there is no output to look at', evidence: {} };
  if (path === undefined) return look(outputText(value));
  const selected = select(value, path);
  return selected.found ? look(textOf(selected.value)) : { problem: selected.problem, evidence: { path: formatPath(path) } };
}

function isTimedOutAgent(value: JsonValue): boolean {
  return isAgentResult(value) && value.completionReason === 'timeout';
}

function askReference(key: string, input: JsonValue, text: string): Failure {
  const selected = select(input, [key]);
  const wanted = selected.found ? textOf(selected.value) : '';
  const evidence = { input_key: key };
  // Every text contains an empty one, so a gate on it would check nothing.
  if (wanted === '') return { problem: `the input has ${selected.found ? 'an empty' : 'no'} ${JSON.stringify(key)}, so there is nothing to look for`, evidence };
  if (text.includes(wanted)) return undefined;
  return { problem: `the output does not contain the input's ${JSON.stringify(key)}`, evidence: { ...evidence, expected: wanted.slice(0, TAIL), output: text.slice(-TAIL) } };
}

function askPattern(gate: Extract<NamedGate, { type: 'regex_match' }>, text: string): Failure {
  const compiled = compileLinearPattern({ pattern: gate.pattern, flags: gate.flags ?? '' });
  if (compiled.ok && compiled.test(text)) return undefined;
  const problem = compiled.ok ? 'the output does not match the pattern' : `the pattern cannot be used: ${compiled.problem}`;
  return { problem, evidence: { pattern: gate.pattern, ...(gate.flags === undefined ? {} : { flags: gate.flags }), output: text.slice(-TAIL) } };
}

function askWordCount(gate: Extract<NamedGate, { type: 'word_count_bounds' }>, text: string): Failure {
  const words = text.match(/\S+/g)?.length ?? 0;
  const { min = 0, max = Number.POSITIVE_INFINITY } = gate;
  if (words >= min && words <= max) return undefined;
  return { problem: `the output has ${words} words, ${words < min ? `fewer than ${min}` : `more than ${max}`}`, evidence: { words } };
}

async function askArtifact(path: string, { stepDirectory, stepId, warn, artifactProblem: problemOf = artifactProblem }: GateEvaluation): Promise<Failure> {
  const unscanned = unscannedDirectory(path);
  if (unscanned !== undefined) warn('gate_path_unscanned', `The gate of ${stepId} looks for ${path}, and artifacts are not looked for in ${unscanned}.`);
  const problem = await problemOf({ directory: stepDirectory, path });
  return problem === undefined ? undefined : { problem: `${path} ${problem}`, evidence: { path, cwd: stepDirectory } };
}

async function askCommand(gate: Extract<NamedGate, { type: 'subprocess_gate' }>, { value, stepDirectory, runCommand }: GateEvaluation): Promise<Failure> {
  const evidence = { command: gate.command, cwd: stepDirectory };
  let stdin: string | undefined;
  if (gate.from_output !== undefined) {
    if (isTimedOutAgent(value)) return { problem: 'the agent was stopped at its time limit, so there is no output to give to the command', evidence };
    const selected = select(value, gate.from_output);
    if (!selected.found) return { problem: `${selected.problem}, so the command was not started`, evidence };
    stdin = gate.from_output.length === 0 ? outputText(value) : textOf(selected.value);
  }
  return judgeCommand(await runCommand({ command: gate.command, ...(stdin === undefined ? {} : { stdin }) }), evidence);
}

function judgeCommand(ended: ProcessOutcome, base: Evidence): Failure {
  if (ended.exitCode === 0 && ended.stopped === undefined) return undefined;
  const stdoutTail = ended.stdout.text.slice(-TAIL);
  const stderrTail = ended.stderr.text.slice(-TAIL);
  return {
    problem: `the command ${howItEnded(ended)}`,
    evidence: {
      ...base,
      ...(ended.exitCode === undefined ? {} : { exitCode: ended.exitCode }),
      ...(ended.signal === undefined ? {} : { signal: ended.signal }),
      ...(ended.spawnError === undefined ? {} : { spawnError: ended.spawnError.code }),
      ...(stdoutTail === '' ? {} : { stdoutTail }),
      ...(stderrTail === '' ? {} : { stderrTail }),
    },
  };
}

function howItEnded({ spawnError, stopped, exitCode, signal }: ProcessOutcome): string {
  if (spawnError !== undefined) return `could not be started: ${spawnError.message}`;
  if (stopped === 'timeout') return 'was stopped at its time limit';
  if (stopped !== undefined) return `was stopped (${stopped})`;
  return exitCode === undefined ? `was ended by ${signal ?? 'an unknown cause'}` : `ended with exit status ${exitCode}`;
}
