import type { WorkflowHealth } from '../../server/answers.js';
import type { WorkflowDefinition } from '../definition.js';
import { parseWorkflow } from '../parse.js';
import { problemText } from '../problem.js';
import { digest, isWorkflowName, type Pair } from './files.js';

/** A workflow of the folder. Only a healthy one may be routed; `declared` of the others is for showing. */
export interface StoredWorkflow {
  /** Of its file. */
  readonly name: string;
  /** Absolute path of the YAML. */
  readonly file: string;
  readonly health: WorkflowHealth;
  /** Why it is not healthy, as sentences. */
  readonly reason: string | null;
  /** The command that repairs it. */
  readonly repair: string | null;
  /** The bytes on disk as text; `null` when there are none that can be read. */
  readonly yaml: string | null;
  /** SHA-256 of the bytes on disk, in hex. */
  readonly sha256: string | null;
  /** What the bytes on disk declare; `null` when they have a mistake. */
  readonly declared: WorkflowDefinition | null;
}

/** What was found of one workflow. */
export interface Found {
  readonly name: string;
  readonly file: string;
  /** After any transaction was thought to its end. */
  readonly pair: Pair;
  /** A sentence on what could not be read. */
  readonly unreadable?: string;
}

/** How a stored workflow is. A file never makes another one worse, and never throws. */
export function judge({ name, file, pair, unreadable }: Found): StoredWorkflow {
  const { yaml: bytes, sha256: vouched } = pair;
  const base = { name, file, yaml: bytes === undefined ? null : new TextDecoder().decode(bytes), sha256: bytes === undefined ? null : digest(bytes) };
  const submit = `relay-flow workflow submit --file ${quoted(file)}`;
  const state = (health: WorkflowHealth, reason: string, repair: string | null, declared: WorkflowDefinition | null = null): StoredWorkflow => ({ ...base, health, reason, repair, declared });
  if (!isWorkflowName(name)) return state('blocked', `No workflow can be called ${JSON.stringify(name.slice(0, 60))}. Rename ${file} after the name that it declares, and submit it.`, null);
  if (unreadable !== undefined) return state('blocked', unreadable, submit);
  if (bytes === undefined) return state('blocked', `${file} is missing, though it was submitted. Submit the workflow again from where you keep it, or remove it.`, `relay-flow workflow remove --name ${name}`);
  const parsed = parseWorkflow(bytes, { file });
  const declared = 'workflow' in parsed ? parsed.workflow : null;
  const mistakes = 'problems' in parsed ? [`It has ${parsed.problems.length === 1 ? 'a mistake' : `${parsed.problems.length} mistakes`} to be corrected first. ${parsed.problems.slice(0, 1).map(problemText).join('')}`] : [];
  if (vouched === undefined) return state('unverified', [`${file} has no hash beside it, so nobody knows whether it was checked.`, ...mistakes].join(' '), submit, declared);
  if (vouched.trim() !== base.sha256) return state('outdated', [`${file} was changed after it was submitted.`, ...mistakes].join(' '), submit, declared);
  if (declared === null) return state('blocked', [`${file} cannot be used by this version of relay-flow.`, ...mistakes].join(' '), submit);
  if (declared.name !== name) return state('blocked', `${file} declares the workflow ${declared.name}, not ${name}. Submit it under its own name, and remove this one.`, submit, declared);
  return { ...base, health: 'healthy', reason: null, repair: null, declared };
}

/** As one word of a POSIX shell. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
