import { FlowsError } from '../../errors/flows-error.js';
import type { Environment } from '../environment.js';
import { runProgram } from '../program.js';
import { parseRemote } from './parse-remote.js';

/** What a clone says about where its changes go. */
export interface Repository {
  /** The address of the remote `origin`, with what `url.<base>.insteadOf` and aliases of ssh make of it. */
  readonly address: string;
  /** `git config relayflow.forge`. */
  readonly configured?: string;
}

interface Place {
  /** Absolute path. */
  readonly cwd: string;
  readonly env: Environment;
}

/** Reads the remote of the clone around `cwd`. Throws `forge_unknown`. */
export async function readRepository(place: Place): Promise<Repository> {
  const [remote, setting] = await Promise.all([git(place, 'remote', 'get-url', 'origin'), git(place, 'config', '--get', 'relayflow.forge')]);
  if (remote.failure !== undefined) throw new FlowsError('forge_unknown', `Git could not be started (${remote.failure}).`, { hint: 'Install git, and call this in a clone of a repository.' });
  if (remote.code === 2) {
    throw new FlowsError('forge_unknown', 'This repository has no remote named origin.', { hint: 'Add the one that the change belongs to: `git remote add origin <url>`.', evidence: { cwd: place.cwd } });
  }
  if (remote.code !== 0) {
    const said = remote.stderr.trim().split('\n')[0]?.replace(/^(fatal|error): /, '') ?? '';
    throw new FlowsError('forge_unknown', `Git cannot read a repository here${said === '' ? '' : `: ${said.replace(/\.$/, '')}`}.`, { hint: 'Call this in a clone of a repository.', evidence: { cwd: place.cwd, stderrTail: remote.stderr.trim() } });
  }
  const configured = setting.code === 0 ? setting.stdout.trim() : '';
  return { address: await withoutAlias(remote.stdout.replace(/\n$/, ''), place), ...(configured === '' ? {} : { configured }) };
}

/** The branch that is checked out. Throws `invalid_invocation` when none is. */
export async function currentBranch(place: Place): Promise<string> {
  const { code, stdout } = await git(place, 'symbolic-ref', '-q', '--short', 'HEAD');
  const branch = stdout.trim();
  if (code === 0 && branch !== '') return branch;
  throw new FlowsError('invalid_invocation', 'No branch is checked out here, so there is none to act for.', { hint: 'Check the branch out: `git switch <branch>`.', evidence: { cwd: place.cwd } });
}

async function git({ cwd, env }: Place, ...args: readonly string[]) {
  return await runProgram({ file: 'git', args, cwd, env: { ...env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' } });
}

/** `git@work:owner/name` where the configuration of ssh says which host `work` is. No name of the internet lacks a dot. */
async function withoutAlias(address: string, { cwd, env }: Place): Promise<string> {
  const remote = parseRemote(address);
  if (remote?.kind !== 'hosted' || remote.scheme !== 'ssh' || /[.:]/.test(remote.host)) return address;
  const { code, stdout } = await runProgram({ file: 'ssh', args: ['-G', '--', remote.host], cwd, env, timeoutMs: 5_000 });
  const host = code === 0 ? /^hostname (\S+)$/m.exec(stdout)?.[1] : undefined;
  return host === undefined ? address : `ssh://${host}/${remote.path}`;
}
