import { execFile } from 'node:child_process';

export interface GitOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs git in one repository and returns what it printed. Rejects with what git said when it fails. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<Buffer>;

/** Set by git for its hooks, where they would lead to another repository. */
const LOCAL_VARIABLES = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_COMMON_DIR', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE'];
const OUTPUT_MAX = 256 * 1024 * 1024;

export function createGit(root: string): Git {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !LOCAL_VARIABLES.includes(name)));
  return (args, { input = '', env = {} } = {}) => new Promise((resolve, reject) => {
    // Signatures would stand between the lines of a log.
    const child = execFile('git', ['-c', 'log.showSignature=false', '--literal-pathspecs', ...args], { cwd: root, env: { ...inherited, LC_ALL: 'C', ...env }, encoding: 'buffer', maxBuffer: OUTPUT_MAX }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`git ${args.join(' ')} failed: ${stderr.toString('utf8').trim() || error.message}`));
    });
    // What git does not read is not missed.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** The lines of an answer, without a last empty one. */
export function linesOf(answer: Buffer): string[] {
  return answer.toString('utf8').split('\n').filter((line) => line !== '');
}

export async function isShallow(git: Git): Promise<boolean> {
  return (await git(['rev-parse', '--is-shallow-repository'])).toString('utf8').trim() === 'true';
}

/** The content of a file in a commit, or `undefined` when there is no such commit or no such file in it. */
export async function fileAt(git: Git, commit: string, path: string): Promise<Buffer | undefined> {
  return git(['cat-file', 'blob', `${commit}:${path}`]).catch(() => undefined);
}
