/** Options of `f.run`. A duration is a number of milliseconds, or `<n>` followed by `ms`, `s`, `m`, `h` or `d`; a decimal must give whole milliseconds. */
export interface RunOptions {
  /** How long the command may run. Default 15 minutes, at most 24 hours. Wrong ones are `timeout_invalid`, too long ones `lease_exceeded`, both at the call. */
  timeout?: string | number;
  /**
   * `'fail'` (the default): the step gives standard output as text, and an exit status other than 0 rejects with `step_failed`.
   * `'record'`: the step gives a {@link RunResult} for every exit status; death by a signal still rejects.
   */
  onNonZero?: 'fail' | 'record';
  /** Added to the inherited environment. A NUL, or a value of more than 131,000 bytes, is `env_invalid` at the call. */
  env?: Record<string, string>;
  /** Where the command runs, inside the directory the run was started from. Default: that directory. */
  cwd?: string;
  /** `'record'`, only with `onNonZero: 'record'`: a timeout gives `{ ok: false, exitCode: 124, timedOut: true }`. Default `'fail'`: `lease_exceeded`. */
  onTimeout?: 'fail' | 'record';
  /** Repeats a failed command, also one that exited with a status other than 0. `attempts` counts the first; the delay doubles each time, up to 5 minutes. */
  retry?: { attempts: number; backoff?: string | number };
  /**
   * `'scrub'` takes variables that look like credentials and every `GIT_CONFIG_*` out of the command's environment, and keeps what `env` names. It
   * stops leaks by accident, not a hostile command under the same user. Default `'inherit'`.
   */
  secrets?: 'inherit' | 'scrub';
  /** Names of variables that `secrets: 'scrub'` leaves in the environment, such as the token of a private registry that a build needs. */
  keep?: string[];
  /** What happens on resume to a step that was in flight when the process died: run it again (the default), fail it, or park the run until a person decides. */
  onCrash?: 'rerun' | 'fail' | 'park';
}

/** What `f.run` gives with `onNonZero: 'record'`. */
export interface RunResult {
  /** `exitCode === 0`. */
  ok: boolean;
  /** 0 to 255. */
  exitCode: number;
  /** Standard output, then standard error, joined by one newline when neither is empty. */
  output: string;
  /** The last 1 MiB. */
  stdout: string;
  /** The last 1 MiB. */
  stderr: string;
  /** Set when `onTimeout: 'record'` recorded a timeout; `exitCode` is then 124. */
  timedOut?: boolean;
  /** How many bytes were dropped from the front of each stream. Absent when nothing was. */
  truncated?: { stdout: number; stderr: number };
}
