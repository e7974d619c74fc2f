/**
 * A value of NODE_OPTIONS that makes a program of Node write the whole of its output to a pipe.
 *
 * The Gemini CLI calls `process.exit` as soon as it has handed its last record over, and what the pipe has not taken by then is lost: after a tool that
 * printed megabytes the rest of the record with it, and the exit status is 0 all the same. Writes that wait are never lost. The variable is put back
 * before the program begins, so that nothing it starts inherits this.
 */
export function wholeOutput(nodeOptions: string | undefined): string {
  const restore = nodeOptions === undefined ? 'delete process.env.NODE_OPTIONS' : `process.env.NODE_OPTIONS=${JSON.stringify(nodeOptions)}`;
  const module = `process.stdout._handle?.setBlocking?.(true);${restore}`;
  return `${nodeOptions === undefined ? '' : `${nodeOptions} `}--import=data:text/javascript,${encodeURIComponent(module)}`;
}
