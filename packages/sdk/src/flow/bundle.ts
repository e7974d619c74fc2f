import { spawn } from 'node:child_process';
import { basename, dirname, resolve, sep } from 'node:path';
import { FlowsError } from '../errors/flows-error.js';
import { type BuildProblem, readBuildProblems } from './build-problems.js';
import { esbuildBinary } from './esbuild-binary.js';
import { excerpt, formatPosition, readLine, type SourcePosition } from './source-position.js';

export interface Bundle {
  /** An ES module: relative imports inlined, bare ones as written. */
  readonly code: string;
  /** Its source map, JSON, sources relative to the bundled file's folder. */
  readonly map: string;
}

/** The name that `console` of bundled code goes by; see `scope.ts`. */
export const CONSOLE = '__relayflows_console';

/** What esbuild calls the line of code that names the file. */
const ENTRY = 'flow-entry';

/**
 * A bundle depends on nothing but the files it contains: the repository's tsconfig.json is not read (`--tsconfig-raw`), nor is `sideEffects` in a
 * package.json (`--ignore-annotations`), and paths are relative to the flow's folder. `console` is bound to a name instead of being patched.
 */
const OPTIONS = [
  '--bundle', '--format=esm', '--platform=node', '--target=node20.19', '--packages=external', '--tsconfig-raw={}', '--ignore-annotations',
  '--charset=utf8', '--legal-comments=none', '--sourcemap=inline', '--sources-content=false', '--color=false', '--log-level=error', '--log-limit=20',
  ...['console', 'globalThis.console', 'global.console'].map((name) => `--define:${name}=${CONSOLE}`),
  '--loader=ts', `--sourcefile=${ENTRY}`,
];

const MAP_MARK = '\n//# sourceMappingURL=data:application/json;base64,';

/**
 * Bundles a flow file by running esbuild's executable; its JavaScript API would cost more time than the bundling.
 * Throws `invalid_spec` with every problem esbuild found, `bundler_unavailable` when it could not run.
 */
export async function bundle(args: { readonly file: string; readonly env: Readonly<Record<string, string | undefined>> }): Promise<Bundle> {
  const directory = dirname(args.file);
  if (basename(args.file).includes('*') || (sep === '/' && args.file.includes('\\'))) {
    throw new FlowsError('invalid_spec', `${args.file} has a ${basename(args.file).includes('*') ? 'star' : 'backslash'} in its path, which cannot be bundled.`, {
      hint: 'Rename it.',
      evidence: { path: args.file },
    });
  }
  const binary = esbuildBinary(args.env);
  // The file is named in an import rather than as an argument, where `=` would have a meaning.
  const entry = `export { default } from ${JSON.stringify(`./${basename(args.file)}`)};`;
  const ended = await runEsbuild({ binary, directory, entry, env: args.env });
  const mapAt = ended.stdout.lastIndexOf(MAP_MARK);
  if (ended.exitCode === 0 && mapAt >= 0) {
    return {
      code: ended.stdout.slice(0, mapAt + 1),
      map: Buffer.from(ended.stdout.slice(mapAt + MAP_MARK.length).trim(), 'base64').toString('utf8'),
    };
  }
  // A file without a default export may leave nothing to map.
  if (ended.exitCode === 0) return { code: ended.stdout, map: '{"version":3,"sources":[],"names":[],"mappings":""}' };
  const problems = readBuildProblems(ended.stderr);
  if (problems.length > 0) throw doesNotBuild(args.file, problems);
  throw new FlowsError('bundler_unavailable', `esbuild ended with ${ended.signal ?? `status ${ended.exitCode}`} while bundling ${args.file}.`, {
    hint: `Run ${binary} --version to see whether it works on this machine.`,
    evidence: { path: args.file, command: binary, stderrTail: ended.stderr.slice(-4096), ...(ended.exitCode === null ? {} : { exitCode: ended.exitCode }) },
  });
}

interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runEsbuild(args: {
  readonly binary: string;
  readonly directory: string;
  readonly entry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Promise<Ended> {
  return new Promise((done, failed) => {
    // Without an environment, for NODE_PATH would change what is found. Windows does not start a program without SystemRoot.
    const env = process.platform === 'win32' ? { SystemRoot: args.env['SystemRoot'] } : {};
    const child = spawn(args.binary, OPTIONS, { cwd: args.directory, env, stdio: 'pipe', windowsHide: true });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', (cause) => failed(new FlowsError('bundler_unavailable', `esbuild cannot be started: ${cause.message}.`, {
      hint: 'Check that the file is executable on this machine, or set ESBUILD_BINARY_PATH to one that is.',
      evidence: { command: args.binary },
      cause,
    })));
    child.on('close', (exitCode, signal) => done({
      exitCode,
      signal,
      stdout: Buffer.concat(stdout).toString('utf8'),
      stderr: Buffer.concat(stderr).toString('utf8'),
    }));
    // A program that ends without reading its input is reported by its exit status.
    child.stdin.on('error', () => undefined);
    child.stdin.end(args.entry);
  });
}

function doesNotBuild(file: string, problems: readonly BuildProblem[]): FlowsError {
  const located = problems.map((problem) => ({ message: problem.message, position: positionOf(problem, dirname(file)) }));
  const first = located[0]?.position;
  return new FlowsError('invalid_spec', [
    `${file} cannot be bundled.`,
    ...located.flatMap(({ message, position }) => (position === undefined ? [message] : [`${formatPosition(position)}: ${message}`, ...excerpt(position)])),
  ].join('\n'), {
    hint: problems.length === 1 ? 'Correct it and try again.' : 'Correct them and try again.',
    evidence: {
      path: first?.path ?? file,
      ...(first === undefined ? {} : { line: first.line, column: first.column }),
      problems: located.map(({ message, position }) => ({ message, ...position })),
    },
  });
}

function positionOf(problem: BuildProblem, directory: string): SourcePosition | undefined {
  if (problem.place === undefined || problem.place.file === ENTRY) return undefined;
  const { file, line, byteColumn } = problem.place;
  const path = resolve(directory, file);
  const before = Buffer.from(readLine(path, line) ?? '').subarray(0, byteColumn).toString('utf8');
  return { path, line, column: before.length + 1 };
}
