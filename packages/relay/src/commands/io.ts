/** What a command sees of the world, so that a test can give it another one. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; empty when the folder was removed. */
  readonly cwd: string;
  readonly out: Output;
  readonly err: Output;
  /** Somebody can be asked: input and error output are a terminal. */
  readonly canAsk: boolean;
  now(): number;
  /** Everything on standard input, at most so many bytes (more: `undefined`). */
  input(limit: number): Promise<string | undefined>;
}

export interface Output {
  readonly isTerminal: boolean;
  /** 100 where there is no terminal. */
  readonly columns: number;
  /** The reader has gone, or nothing more can be written for another reason. */
  readonly closed: boolean;
  /** Does nothing once the reader has gone. */
  write(text: string): void;
  /** Once everything has left the process, or nothing more can. Answers with why it could not. */
  flushed(): Promise<Error | undefined>;
}

const PAGE_COLUMNS = 100;

export function processIo(): Io {
  return {
    env: process.env,
    cwd: currentFolder(),
    out: outputTo(process.stdout),
    err: outputTo(process.stderr),
    get canAsk() {
      return process.stdin.isTTY && process.stderr.isTTY;
    },
    now: () => Date.now(),
    input: readAll,
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

async function readAll(limit: number): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > limit) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** A reader may go away, as `head` does; nobody is left to be told. */
const READER_GONE: readonly (string | undefined)[] = ['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED'];

function outputTo(stream: NodeJS.WriteStream): Output {
  let failure: NodeJS.ErrnoException | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  const reason = (): Error | undefined => (failure === undefined || READER_GONE.includes(failure.code) ? undefined : failure);
  return {
    isTerminal: stream.isTTY,
    get columns() {
      return stream.columns > 0 ? stream.columns : PAGE_COLUMNS;
    },
    get closed() {
      return failure !== undefined;
    },
    write(text) {
      if (failure === undefined) stream.write(text);
    },
    flushed: () =>
      new Promise((resolve) => {
        const done = (): void => resolve(reason());
        if (failure !== undefined) return done();
        stream.once('error', done);
        stream.write('', done);
      }),
  };
}
