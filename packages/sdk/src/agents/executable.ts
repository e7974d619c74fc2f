import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { FlowsError } from '../errors/flows-error.js';

const WINDOWS = process.platform === 'win32';

/** The name that decides which adapter drives an executable: no directories, no `.exe`, `.cmd` or `.bat`. */
export function executableName(cli: string): string {
  return path.basename(cli.replaceAll('\\', WINDOWS ? '/' : '\\')).replace(/\.(?:exe|cmd|bat)$/i, '');
}

/**
 * The absolute path of a CLI: a name with a slash is taken from the run directory, any other is looked up on PATH.
 * Throws `cli_missing`, which says where it looked.
 */
export function findExecutable(request: { readonly cli: string; readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>>; /** The command that installs it. */ readonly install?: string | undefined }): string {
  const { cli, cwd, env, install } = request;
  if (cli.includes('/') || (WINDOWS && cli.includes('\\'))) {
    const file = path.resolve(cwd, cli);
    const problem = executableProblem(file);
    if (problem === undefined) return file;
    throw new FlowsError('cli_missing', `The coding-agent CLI ${file} ${problem.text}.`, {
      hint: problem.hint ?? `Create it, or name another CLI. Paths are taken from the directory of the run, ${cwd}.`,
      evidence: { path: file },
    });
  }
  const searched = (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter).map((directory) => path.resolve(cwd, directory));
  const suffixes = WINDOWS ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  for (const directory of new Set(searched)) {
    for (const suffix of suffixes) {
      const file = path.join(directory, cli + suffix);
      if (executableProblem(file) === undefined) return file;
    }
  }
  throw new FlowsError('cli_missing', `The coding-agent CLI "${cli}" is not on PATH.`, {
    hint: install === undefined
      ? `Install it, or name another one. Programs in the run directory are written with a slash: ./${cli}.`
      : `Install it with \`${install}\`, or name another one.`,
    evidence: { searched: [...new Set(searched)] },
  });
}

function executableProblem(file: string): { readonly text: string; readonly hint?: string } | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return { text: 'does not exist' };
  if (!stats.isFile()) return { text: 'is not a file' };
  try {
    accessSync(file, constants.X_OK);
    return undefined;
  } catch {
    return { text: 'may not be executed', hint: `Make it executable: chmod +x ${file}` };
  }
}
