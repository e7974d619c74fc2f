import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import type { ErrorCode } from '../errors/codes.js';
import { FlowsError } from '../errors/flows-error.js';

/**
 * Checks how a step's `cwd` is written, when the step is created. Touches no disk.
 *
 * @param options.code the code to refuse it with. Default `cwd_not_allowed`.
 * @throws {FlowsError} not a string, blank at either end, a NUL, a URI, or an empty, `.` or `..` component.
 */
export function checkStepDirectory(options: { readonly cwd: unknown; readonly code?: ErrorCode }): void {
  const problem = problemOf(options.cwd);
  if (problem === undefined) return;
  throw new FlowsError(options.code ?? 'cwd_not_allowed', `cwd ${problem}.`, {
    hint: "Name a folder below the run's directory, like 'packages/web'; leave cwd out for the run's directory itself.",
    evidence: typeof options.cwd === 'string' ? { path: options.cwd } : {},
  });
}

/**
 * Finds the directory a step runs in, when it starts. Answers with its real path, so that a link exchanged later changes nothing.
 *
 * @param options.runDir absolute, real path of the run's directory.
 * @param options.code the code to refuse it with. Default `cwd_not_allowed`.
 * @throws {FlowsError} what {@link checkStepDirectory} refuses, a missing directory, another kind of file, or one whose real path lies outside.
 */
export function resolveStepDirectory(options: { readonly runDir: string; readonly cwd?: string | undefined; readonly code?: ErrorCode }): string {
  const { runDir, cwd, code = 'cwd_not_allowed' } = options;
  if (cwd === undefined) return runDir;
  checkStepDirectory({ cwd, code });
  const path = isAbsolute(cwd) ? cwd : join(runDir, cwd);
  const real = realDirectory(path, cwd, code);
  if (contains(realpathSync.native(runDir), real)) return real;
  throw new FlowsError(code, `The step's directory ${JSON.stringify(cwd)} lies outside the run's directory.`, {
    hint: 'Move the folder below the run\'s directory, or start the run from a folder that contains both.',
    evidence: { path: real, cwd: runDir },
  });
}

function problemOf(cwd: unknown): string | undefined {
  if (typeof cwd !== 'string') return `must be a string, not ${cwd === null ? 'null' : typeof cwd}`;
  if (cwd === '') return 'is empty';
  if (cwd !== cwd.trim()) return 'begins or ends with a blank';
  if (cwd.includes('\0')) return 'contains a NUL';
  if (/^(?:file:|[a-z][a-z0-9+.-]*:\/\/)/i.test(cwd)) return 'is a URI and not a path';
  const parts = cwd.split(sep);
  if (isAbsolute(cwd)) parts.shift();
  if (parts.includes('')) return 'has an empty component: a slash at its end, or two in a row';
  if (parts.includes('.') || parts.includes('..')) return 'has a "." or ".." component';
  return undefined;
}

function realDirectory(path: string, cwd: string, code: ErrorCode): string {
  let reason: string;
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
    reason = 'is not a directory';
  } catch (error) {
    const cause = (error as NodeJS.ErrnoException).code;
    reason = cause === 'ENOENT' ? 'does not exist' : cause === 'ENOTDIR' ? 'leads through a file' : `cannot be used (${cause})`;
  }
  throw new FlowsError(code, `The step's directory ${JSON.stringify(cwd)} ${reason}.`, {
    hint: 'Create it in an earlier step, or correct the path.',
    evidence: { path },
  });
}

function contains(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}
