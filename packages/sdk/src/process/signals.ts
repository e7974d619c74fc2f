/** Sends a signal to a process, or with a negative number to a group. Answers whether there was anything to receive it; `EPERM` counts as there. */
export function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  // Nobody reads the stack of "no such process", and collecting it is most of the cost of the call.
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Whether a process, or with a negative number any member of a group, exists; a zombie does. */
export function exists(pid: number): boolean {
  return send(pid, 0);
}
