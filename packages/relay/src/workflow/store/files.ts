import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** What the folder holds of one workflow: the submitted bytes, and the text of the file that vouches for them. `undefined`: no such file. */
export interface Pair {
  readonly yaml: Uint8Array | undefined;
  readonly sha256: string | undefined;
}

export const NOTHING: Pair = { yaml: undefined, sha256: undefined };

/** The pair of these bytes as they were submitted. */
export function pairOf(yaml: Uint8Array): Pair {
  return { yaml, sha256: `${digest(yaml)}\n` };
}

/** SHA-256 in hex. */
export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function samePair(a: Pair, b: Pair): boolean {
  return sameBytes(a.yaml, b.yaml) && a.sha256 === b.sha256;
}

export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
}

export type FileKind = 'yaml' | 'sha256' | 'txn';

export const FILE_KINDS: readonly FileKind[] = ['yaml', 'sha256', 'txn'];

/** The journal holds more than others may read; the workflow itself is for everybody who may look into the folder. */
export const MODES: Readonly<Record<FileKind, number>> = { yaml: 0o644, sha256: 0o644, txn: 0o600 };

export function pathOf(folder: string, name: string, kind: FileKind): string {
  return join(folder, `${name}.${kind}`);
}

/** Names that a workflow may have, and so its files. */
export function isWorkflowName(name: string): boolean {
  return /^[a-z][a-zA-Z0-9]{0,99}$/.test(name);
}
