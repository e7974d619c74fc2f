import { execa } from 'execa';

/** One thing about the repository that must hold. */
export interface Gate {
  /** What `npm run check -- <name>` calls it. */
  readonly name: string;
  /** One line for people: what holds when the gate passes. */
  readonly proves: string;
  /** Programs from outside without which the gate cannot judge. */
  readonly programs?: readonly string[];
  /** Reads `dist/`, so it waits for the build. */
  readonly afterBuild?: boolean;
  /** What is wrong in the checkout at `root`; nothing when all is well. */
  readonly problems: (root: string) => Promise<readonly string[]>;
}

/** Runs a command of the repository and makes its output the problem when it fails. */
export async function problemsOf(root: string, file: string, args: readonly string[]): Promise<readonly string[]> {
  const result = await execa(file, args, { cwd: root, preferLocal: true, localDir: root, reject: false, all: true, stdin: 'ignore' });
  return result.failed ? [`${[file, ...args].join(' ')}\n${result.all || result.shortMessage}`] : [];
}

/** Files of the repository, tracked and new ones, relative to its root. */
export async function repositoryFiles(root: string, ...patterns: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await execa('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...patterns], { cwd: root });
  const { stdout: gone } = await execa('git', ['ls-files', '--deleted', '-z'], { cwd: root });
  const deleted = new Set(gone.split('\0'));
  return [...new Set(stdout.split('\0'))].filter((file) => file !== '' && !deleted.has(file)).sort();
}
