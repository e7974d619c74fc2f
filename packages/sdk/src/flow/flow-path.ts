import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { FlowsError } from '../errors/flows-error.js';
import { nearest } from './nearest.js';

const FLOW_NAME = /\.flow\.(?:ts|mts|js|mjs)$/;

/** Whether a path names an authored flow: it ends in `.flow.ts`, `.flow.mts`, `.flow.js` or `.flow.mjs`. */
export function isFlowPath(path: string): boolean {
  return FLOW_NAME.test(path);
}

/**
 * The real, absolute path of a flow file.
 *
 * Symbolic links are followed, as Node does for a program, so relative imports start where the file lies. The name rule is applied to the path as given.
 * Throws `invalid_spec` when the name is not a flow's or there is no such file.
 */
export function locateFlow(path: string): string {
  const given = resolve(path);
  if (!isFlowPath(given)) {
    throw new FlowsError('invalid_spec', `${given} is not named like a flow.`, {
      hint: 'Name it <name>.flow.ts, .flow.mts, .flow.js or .flow.mjs.',
      evidence: { path: given },
    });
  }
  let real: string;
  try {
    real = realpathSync(given);
    if (statSync(real).isFile()) return real;
  } catch (error) {
    throw missing(given, error as NodeJS.ErrnoException);
  }
  throw new FlowsError('invalid_spec', `${given} is not a file.`, { hint: 'Name the flow file itself.', evidence: { path: given } });
}

function missing(path: string, error: NodeJS.ErrnoException): FlowsError {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') {
    return new FlowsError('invalid_spec', `${path} cannot be read: ${error.message}.`, {
      hint: 'Check its permissions and those of its folders.',
      evidence: { path, errno: error.code },
      cause: error,
    });
  }
  const similar = nearest(basename(path), flowsBeside(path));
  return new FlowsError('invalid_spec', `${path} does not exist.`, {
    hint: similar === undefined ? 'Check the path.' : `Did you mean ${resolve(dirname(path), similar)}?`,
    evidence: { path },
    cause: error,
  });
}

/** Names of the flows in a file's folder; none when the folder cannot be read. */
export function flowsBeside(path: string): readonly string[] {
  try {
    return readdirSync(dirname(path)).filter(isFlowPath);
  } catch {
    return [];
  }
}
