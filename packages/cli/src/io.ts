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
  /** Aborted once the reader is gone. Writing goes on to be allowed and does nothing. */
  readonly gone: AbortSignal;
  write(text: string): void;
  /** Resolves when everything written has left the process, or never will. */
  flushed(): Promise<void>;
}

const PAGE = { columns: 100, rows: 50 } as const;

/** The codes of a reader that went away: `| head`, a closed terminal. Nobody is left to be told. */
const READER_GONE = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

export function processIo(): Io {
  return {
    env: process.env,
    cwd: currentDirectory(),
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    // Asking `process.stdin` would open it, and not every command reads.
    get inputIsTerminal() {
      return process.stdin.isTTY === true;
    },
    now: () => Date.now(),
  };
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

function outputOf(stream: NodeJS.WriteStream): Output {
  const gone = new AbortController();
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!READER_GONE.has(error.code ?? '')) throw error;
    gone.abort();
  });
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns > 0 ? stream.columns : PAGE.columns;
    },
    get rows() {
      return stream.rows > 0 ? stream.rows : PAGE.rows;
    },
    gone: gone.signal,
    write(text) {
      if (!gone.signal.aborted) stream.write(text);
    },
    flushed: () =>
      new Promise((resolve) => {
        if (gone.signal.aborted || stream.writableLength === 0) return resolve();
        gone.signal.addEventListener('abort', () => resolve(), { once: true });
        stream.write('', () => resolve());
      }),
  };
}
