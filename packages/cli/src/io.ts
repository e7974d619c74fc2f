/** The outside world of a command, so that a test can give its own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path; empty when the directory was removed. */
  readonly cwd: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether somebody can type. */
  readonly inputIsTerminal: boolean;
  now(): number;
}

export interface Output {
  readonly isTerminal: boolean;
  /** The size of the terminal; a generous page where there is none. */
  readonly columns: number;
  readonly rows: number;
  /** Aborted once nothing can be written any more. Writing goes on to be allowed and does nothing. */
  readonly gone: AbortSignal;
  /** Why nothing can be written, unless the reader went away, which is its right. */
  readonly failure: Error | undefined;
  write(text: string): void;
  /** Resolves when everything written has left the process, or never will. */
  flushed(): Promise<void>;
}

const PAGE = { columns: 100, rows: 50 } as const;

/** The codes of a reader that went away: `| head`, a closed terminal. Nobody is left to be told. */
const READER_GONE = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/** The world of this process, and a way to make everything written to it from then on go nowhere. */
export function processIo(): { readonly io: Io; readonly silence: () => void } {
  const [stdout, stderr] = [outputOf(process.stdout), outputOf(process.stderr)];
  const io: Io = {
    env: process.env,
    cwd: currentDirectory(),
    stdout: stdout.output,
    stderr: stderr.output,
    // Asking `process.stdin` would open it, and not every command reads.
    get inputIsTerminal() {
      return process.stdin.isTTY === true;
    },
    now: () => Date.now(),
  };
  return {
    io,
    silence() {
      stdout.close();
      stderr.close();
    },
  };
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

function outputOf(stream: NodeJS.WriteStream): { readonly output: Output; readonly close: () => void } {
  const gone = new AbortController();
  const waiting = new Set<() => void>();
  gone.signal.addEventListener('abort', () => waiting.forEach((done) => done()), { once: true });
  let failure: Error | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!READER_GONE.has(error.code ?? '')) failure ??= error;
    gone.abort();
  });
  const output: Output = {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns > 0 ? stream.columns : PAGE.columns;
    },
    get rows() {
      return stream.rows > 0 ? stream.rows : PAGE.rows;
    },
    gone: gone.signal,
    get failure() {
      return failure;
    },
    write(text) {
      if (!gone.signal.aborted) stream.write(text);
    },
    flushed: () =>
      new Promise((resolve) => {
        if (gone.signal.aborted) return resolve();
        const done = (): void => {
          waiting.delete(done);
          resolve();
        };
        waiting.add(done);
        stream.write('', done);
      }),
  };
  return { output, close: () => gone.abort() };
}
