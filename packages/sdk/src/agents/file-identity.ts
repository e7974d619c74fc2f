import { statSync } from 'node:fs';
import type { FileIdentity } from './port.js';

/** What a file looks like now; `undefined` when it is gone. */
export function fileIdentity(file: string): FileIdentity | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const { dev, ino, mode, size, mtimeNs, ctimeNs } = stats;
  return { dev, ino, mode, size, mtimeNs, ctimeNs };
}

export function sameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.mode === b.mode && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}
