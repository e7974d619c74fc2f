import { AsyncLocalStorage } from 'node:async_hooks';
import { Console } from 'node:console';
import { Writable } from 'node:stream';

type Sink = (text: string) => void;

const toStderr: Sink = (text) => void process.stderr.write(text);
let sink = toStderr;
const nearby = new AsyncLocalStorage<Sink>();

/**
 * The `console` of flow code. It writes to stderr, so that stdout keeps carrying the report alone; the global `console` stays as it is.
 */
export const flowConsole = new Console({
  stdout: new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      (nearby.getStore() ?? sink)(chunk);
      done();
    },
  }),
});

/**
 * Gives what flow code prints to someone else, in this process, until the returned function is called: a display that redraws the terminal, or a host's log.
 * The text may hold several lines and ends with a newline.
 */
export function captureFlowConsole(receive: Sink): () => void {
  const previous = sink;
  sink = receive;
  return () => {
    sink = previous;
  };
}

/** The same for what is called here and all that follows from it, beside others that do likewise. */
export function withFlowConsole<T>(receive: Sink, body: () => T): T {
  return nearby.run(receive, body);
}
