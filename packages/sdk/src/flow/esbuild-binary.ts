import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FlowsError } from '../errors/flows-error.js';
import { resolvePackage } from './resolve-package.js';

const HERE = dirname(fileURLToPath(import.meta.url));

/**
 * Where esbuild's executable for this platform lies: `ESBUILD_BINARY_PATH` when set, else the optional dependency `@esbuild/<platform>-<arch>`.
 * Throws `bundler_unavailable` when there is none.
 */
export function esbuildBinary(env: Readonly<Record<string, string | undefined>>): string {
  const chosen = env['ESBUILD_BINARY_PATH'];
  if (chosen !== undefined && chosen !== '') {
    if (existsSync(chosen)) return chosen;
    throw new FlowsError('bundler_unavailable', `ESBUILD_BINARY_PATH names ${chosen}, which does not exist.`, {
      hint: 'Correct or unset ESBUILD_BINARY_PATH.',
      evidence: { path: chosen },
    });
  }
  const name = `@esbuild/${process.platform}-${process.arch}`;
  const inPackage = process.platform === 'win32' ? 'esbuild.exe' : 'bin/esbuild';
  const found = resolvePackage(`${name}/${inPackage}`, HERE);
  if (found !== undefined) return fileURLToPath(found.url);
  throw new FlowsError('bundler_unavailable', `The package ${name}, which bundles flows on this platform, is not installed.`, {
    hint: 'Install again without --omit=optional and on this very platform, or set ESBUILD_BINARY_PATH to an esbuild executable.',
    evidence: { package: name },
  });
}
