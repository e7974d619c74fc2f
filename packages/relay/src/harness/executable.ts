import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { RelayError } from '../errors/relay-error.js';
import type { HostEnvironment } from './inherited-environment.js';

/** A program that is called by its name, or by a path that does not depend on the workspace. */
export function isFixed(program: string): boolean {
  return !program.includes('/') || isAbsolute(program);
}

/** The absolute path of a program; `undefined` where there is none that may be executed. */
export function findProgram(program: string, env: HostEnvironment): string | undefined {
  if (isAbsolute(program)) return isExecutable(program) ? program : undefined;
  return (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder)).map((folder) => join(folder, program)).find(isExecutable);
}

/** The same, throwing `harness_missing`. */
export function requireProgram(program: string, env: HostEnvironment, install?: string): string {
  const found = findProgram(program, env);
  if (found !== undefined) return found;
  const hint = install === undefined ? 'Install it, or correct harnessConfig in config.yaml, then start the server again.' : `Install it with \`${install}\`, then start the server again.`;
  throw new RelayError('harness_missing', isAbsolute(program) ? `The program ${program} is not there, or may not be executed.` : `The program ${program} is not on the PATH of the server.`, { hint, evidence: { program } });
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
