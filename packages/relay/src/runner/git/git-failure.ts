import { RelayError } from '../../errors/relay-error.js';
import { halfWritten, type GitAnswer } from './git.js';

/** The error for a git that did not do what it was asked. `doing` completes the sentence "git could not …". */
export function gitFailure(answer: GitAnswer, doing: string): RelayError {
  const words = wordsOf(answer.stderr);
  const evidence = words === '' ? {} : { git: words };
  if (answer.failure === 'missing') {
    return new RelayError('runner_missing', 'git could not be started.', { hint: 'Install git 2.36 or newer, and see that it is on the PATH of the server.' });
  }
  if (answer.failure === 'timeout') return new RelayError('runner_unavailable', `git could not ${doing}: it took too long.`, { evidence });
  const lock = /Unable to create '([^']+\.lock)': File exists/.exec(answer.stderr)?.[1];
  if (lock !== undefined) {
    return new RelayError('runner_unavailable', `git could not ${doing}: another git is at work, or one was killed and left ${lock}.`, {
      hint: `If no git is running there, delete ${lock}.`,
      evidence: { lock },
    });
  }
  const half = halfWritten(answer);
  if (half !== undefined) {
    return new RelayError('runner_unavailable', `git could not ${doing}, because ${half} is not complete.`, {
      hint: 'A worktree is being made at the moment, or was when the machine stopped. If this stays, delete the folder of that file.',
      evidence: { file: half },
    });
  }
  if (answer.stderr.includes('dubious ownership')) {
    return new RelayError('runner_rejected', `git could not ${doing}: the repository belongs to another account.`, {
      hint: 'Run the server as the owner of the repository, or add its folder to safe.directory in the configuration of git.',
      evidence,
    });
  }
  if (/cannot change to|not a git repository/.test(answer.stderr)) {
    return new RelayError('runner_missing', `git could not ${doing}: there is no repository there any more.`, { hint: 'Put it back, or register the repository where it is now.', evidence });
  }
  if (/No space left on device|Input\/output error|Disk quota exceeded/.test(answer.stderr)) return new RelayError('runner_unavailable', `git could not ${doing}: ${words}`, { evidence });
  return new RelayError('runner_rejected', `git could not ${doing}${words === '' ? '.' : `: ${words}`}`, { evidence });
}

/** What git itself said, without what hooks printed. */
function wordsOf(stderr: string): string {
  const said = stderr.split('\n').filter((line) => /^(?:fatal|error): /.test(line)).map((line) => line.replace(/^(?:fatal|error): /, ''));
  return said.join(' ').slice(0, 1_000);
}
