import { rmSync } from 'node:fs';
import { RelayError } from '../../errors/relay-error.js';
import { isWorkflowName, NOTHING, pairOf, samePair, type Pair } from './files.js';
import { applySteps, found, namesIn, readRaw, unfinishedIn } from './folder.js';
import { judge, type StoredWorkflow } from './health.js';
import { recoverySteps, replaceSteps, rollbackSteps, type Step, type Transaction } from './transaction.js';

// The folder of submitted workflows: `<name>.yaml` with exactly the submitted bytes, `<name>.sha256` with their hash, and `<name>.txn` while a pair is being replaced.
// Only the server of a home writes here. Every call is synchronous, so that two of them never mix.

export interface StoreOptions {
  /** Hears of each step before it is done, for tests that end the process there. */
  readonly onStep?: (step: Step) => void;
}

/** A change that was made and can be taken back as a whole, for a submit whose later parts fail. */
export interface StoreChange {
  /** Brings back what was there before. May be called twice. Throws `home_unusable`. */
  undo(): void;
}

/** Every workflow of the folder, by name, each with its health: one that is broken hides no other. Changes nothing; a folder that is not there is empty. Throws `home_unusable`. */
export function listStored(folder: string): readonly StoredWorkflow[] {
  return namesIn(folder).flatMap((name) => readStored(folder, name) ?? []);
}

/** One workflow, or `undefined` when nothing of it is stored. Changes nothing. */
export function readStored(folder: string, name: string): StoredWorkflow | undefined {
  // A name from outside must not lead out of the folder.
  if (!isFileName(name)) return undefined;
  const files = found(folder, readRaw(folder, name));
  return samePair(files.pair, NOTHING) && files.unreadable === undefined ? undefined : judge(files);
}

/**
 * Stores a workflow under its name, or a new version of it: after any crash the one or the other is there as a whole. The bytes are kept as they are; that they were
 * checked, and declare this name, is for the caller to know. Throws `workflow_invalid` for a name that cannot be a file beside the others, `home_unusable`.
 */
export function replaceStored(folder: string, { name, yaml }: { readonly name: string; readonly yaml: string | Uint8Array }, options: StoreOptions = {}): StoreChange {
  if (!isWorkflowName(name)) throw new RelayError('workflow_invalid', `No workflow can be called ${JSON.stringify(name.slice(0, 60))}.`, { hint: 'Begin with a small letter and go on with letters and digits only.' });
  const twin = namesIn(folder).find((other) => other !== name && other.toLowerCase() === name.toLowerCase());
  if (twin !== undefined) throw new RelayError('workflow_invalid', `The workflow ${twin} is stored, and its name differs from ${name} only in capital letters, which not every file system tells apart.`, { hint: 'Choose another name, or remove the other workflow first.' });
  return change(folder, name, pairOf(typeof yaml === 'string' ? Buffer.from(yaml) : yaml), options);
}

/** Removes a workflow, whatever its health. Throws `workflow_unknown`, `home_unusable`. */
export function removeStored(folder: string, name: string, options: StoreOptions = {}): StoreChange {
  if (readStored(folder, name) === undefined) throw new RelayError('workflow_unknown', `No workflow called ${JSON.stringify(name.slice(0, 60))} is stored.`, { hint: 'Run "relay-flow workflow list" to see those that are.' });
  return change(folder, name, NOTHING, options);
}

/** Finishes or takes back what a crash interrupted, and removes files that were never finished. For the start of a server, before anything is read. Answers with the names that were put right. */
export function recoverStored(folder: string, options: StoreOptions = {}): readonly string[] {
  for (const path of unfinishedIn(folder)) rmSync(path, { force: true });
  return namesIn(folder).filter((name) => {
    try {
      return recover(folder, name, options);
    } catch {
      // One workflow must not keep the server from starting. Its journal is still there: readers think it to its end, and the next start tries again.
      return false;
    }
  });
}

function recover(folder: string, name: string, { onStep }: StoreOptions): boolean {
  const { pair, transaction } = readRaw(folder, name);
  if (transaction === undefined) return false;
  applySteps(folder, name, recoverySteps(pair, transaction), onStep);
  return true;
}

function change(folder: string, name: string, next: Pair, options: StoreOptions): StoreChange {
  recover(folder, name, options);
  const { pair: old } = readRaw(folder, name);
  replace(folder, name, { old, next }, options);
  return {
    undo: () => {
      const { pair: now } = readRaw(folder, name);
      if (!samePair(now, old)) replace(folder, name, { old: now, next: old }, options);
    },
  };
}

function replace(folder: string, name: string, transaction: Transaction, { onStep }: StoreOptions): void {
  try {
    applySteps(folder, name, replaceSteps(transaction), onStep);
  } catch (error) {
    try {
      applySteps(folder, name, rollbackSteps(transaction));
    } catch {
      // The journal is still there if it was written, and the next start decides. The first failure says more.
    }
    throw error;
  }
}

function isFileName(name: string): boolean {
  return name !== '' && !/[/\\\0]/.test(name);
}
