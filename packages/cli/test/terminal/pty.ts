import { LAUNCHER, type Started, type Workplace } from '../workplace.js';

export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Calls the command on a terminal of its own, made by `script`. What is written to the child's stdin is typed. When the command has ended, a last line
 * tells its exit status and how the terminal is set.
 */
export function onTerminal(place: Workplace, args: string, { columns = 80, rows = 24, env = {} }: PtyOptions = {}): Started {
  const inside = `stty cols ${columns} rows ${rows}; ${process.execPath} ${LAUNCHER} ${args}; echo "status=$? $(stty -a | tr ';' ' ' | grep -oE -- '-?(icanon|echo|isig) ' | tr -d '\\n')"`;
  return place.shell(`exec script -qefc "$inside" /dev/null`, { inside, ...env });
}

// eslint-disable-next-line no-control-regex -- it is what terminals are controlled with.
const SEQUENCE = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007]*\u0007|[^[\]])/g;

/** What was written to a terminal, without its control sequences. */
export function plain(text: string): string {
  return text.replace(SEQUENCE, '').replace(/\r/g, '');
}

/** Each different control sequence that was written. */
export function sequences(text: string): string[] {
  return [...new Set(text.match(SEQUENCE) ?? [])].map((sequence) => JSON.stringify(sequence));
}
