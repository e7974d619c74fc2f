import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RelayError } from '../../errors/relay-error.js';
import { replaceFile, syncFolder } from '../../host/private-file.js';
import { YAML_MAX_BYTES } from '../yaml/read-yaml.js';
import { FILE_KINDS, MODES, NOTHING, pathOf, type Pair } from './files.js';
import type { Found } from './health.js';
import { readTransaction, settled, type Step, type Transaction } from './transaction.js';

/** A workflow's files as they lie there. */
export interface RawFiles {
  readonly name: string;
  readonly pair: Pair;
  readonly transaction?: Transaction;
  readonly unreadable?: string;
}

/** Does the steps one after the other; each is complete and on disk before the next begins. `onStep` hears of each before it is done. Throws `home_unusable`. */
export function applySteps(folder: string, name: string, steps: readonly Step[], onStep: (step: Step) => void = () => {}): void {
  for (const step of steps) {
    onStep(step);
    const path = pathOf(folder, name, step.kind);
    if (step.content !== undefined) replaceFile(path, step.content, MODES[step.kind]);
    else removeFile(folder, path);
  }
}

function removeFile(folder: string, path: string): void {
  try {
    rmSync(path, { force: true });
    syncFolder(folder);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new RelayError('home_unusable', `${path} cannot be removed: ${code}.`, { hint: 'Check the folder and its permissions.', evidence: { path, errno: code }, cause });
  }
}

/** The names of which there is any file, sorted. A folder that is not there holds nothing. Throws `home_unusable`. */
export function namesIn(folder: string): readonly string[] {
  const names = entries(folder).flatMap((entry) => {
    const dot = entry.lastIndexOf('.');
    return dot > 0 && FILE_KINDS.some((kind) => entry.slice(dot + 1) === kind) ? [entry.slice(0, dot)] : [];
  });
  return [...new Set(names)].toSorted();
}

/** What a crash left of `replaceFile`. */
export function unfinishedIn(folder: string): readonly string[] {
  return entries(folder).filter((entry) => /\.(?:yaml|sha256|txn)\.\d+\.[0-9a-f]+\.new$/.test(entry)).map((entry) => join(folder, entry));
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new RelayError('home_unusable', `${folder} cannot be read: ${code}.`, { hint: 'Check the folder and its permissions.', evidence: { path: folder, errno: code }, cause });
  }
}

/** Reads a workflow's files. One that cannot be read is said to be so, and stands in nobody's way. */
export function readRaw(folder: string, name: string): RawFiles {
  try {
    const yaml = readBounded(pathOf(folder, name, 'yaml'));
    const sha256 = readBounded(pathOf(folder, name, 'sha256'));
    const text = readBounded(pathOf(folder, name, 'txn'));
    const pair: Pair = { ...NOTHING, ...(yaml === undefined ? {} : { yaml }), ...(sha256 === undefined ? {} : { sha256: Buffer.from(sha256).toString('utf8') }) };
    if (text === undefined) return { name, pair };
    const transaction = readTransaction(Buffer.from(text).toString('utf8'));
    return transaction === undefined ? { name, pair, unreadable: `${pathOf(folder, name, 'txn')} is not the journal of a replacement, so it is not known which version counts.` } : { name, pair, transaction };
  } catch (error) {
    return { name, pair: NOTHING, unreadable: error instanceof Unreadable ? error.message : `The files of ${name} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.` };
  }
}

export function found(folder: string, { name, pair, transaction, unreadable }: RawFiles): Found {
  return { name, file: pathOf(folder, name, 'yaml'), pair: transaction === undefined ? pair : settled(pair, transaction), ...(unreadable === undefined ? {} : { unreadable }) };
}

class Unreadable extends Error {}

/** A journal holds two workflows in base64. */
const MAX_BYTES = 4 * YAML_MAX_BYTES;

function readBounded(path: string): Uint8Array | undefined {
  try {
    const stats = statSync(path);
    // A pipe would keep the server waiting for somebody to write into it.
    if (!stats.isFile()) throw new Unreadable(`${path} is no file.`);
    const { size } = stats;
    if (size > MAX_BYTES) throw new Unreadable(`${path} is larger than ${MAX_BYTES} bytes.`);
    return Uint8Array.from(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw error instanceof Unreadable ? error : new Unreadable(`${path} cannot be read: ${code ?? 'unknown'}.`);
  }
}
