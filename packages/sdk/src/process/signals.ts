/** Sends a signal to a process, or with a negative number to a group. Answers whether there was anything to receive it; `EPERM` counts as there. */
export function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The system call below `process.kill`: answers with a negative error number where that throws. Node does not document it, so it may be missing. */
const call = (process as { readonly _kill?: (pid: number, signal: number) => number })._kill;
const EPERM = -1;

/**
 * Whether a process, or with a negative number any member of a group, exists; a zombie does.
 *
 * Asked at the end of every step, and the answer is nearly always no. Making an error of that costs more than the question.
 */
export function exists(pid: number): boolean {
  if (call === undefined) return send(pid, 0);
  const result = call(pid, 0);
  return result === 0 || result === EPERM;
}
