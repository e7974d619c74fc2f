import { RelayError } from '../../errors/relay-error.js';
import type { TerminalCommand } from '../port.js';

/** Linux allows 128 KiB for one argument of a command. */
const MAX_BYTES = 120_000;

/**
 * The line that Orca types into a login shell. With `exec` the agent takes the shell's place: otherwise the shell would stay after a dead agent, and the terminal look alive.
 * Throws `runner_rejected`, without the line's content.
 */
export function commandLine({ file, args, env }: TerminalCommand): string {
  const names = Object.keys(env).sort();
  const odd = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (odd !== undefined) throw new RelayError('runner_rejected', 'A command cannot be started in a terminal, because a name of a variable is not one that shells know.', { evidence: { name: odd } });
  const line = ['exec', 'env', ...names.map((name) => `${name}=${quote(env[name] ?? '')}`), ...[file, ...args].map(quote)].join(' ');
  if (Buffer.byteLength(line) > MAX_BYTES) {
    throw new RelayError('runner_rejected', `A command is too long to be started in a terminal: ${Buffer.byteLength(line)} bytes, and ${MAX_BYTES} are possible.`, { hint: 'Shorten the prompt, for instance the description of the node.' });
  }
  return line;
}

/** What an interactive shell would take for keys that are pressed: a tab completes, an escape begins a command. Line ends are fine between quotes. */
const KEYS = /(?!\n)\p{Cc}/gu;

/** Quoted for any shell: only the single quote itself has a meaning between single quotes. NUL cannot be in an argument. */
export function quote(text: string): string {
  const quoted = text.replaceAll('\0', '').replaceAll('\'', '\'\\\'\'');
  return `'${quoted.replace(KEYS, (key) => `'"$(printf '${octal(key)}')"'`)}'`;
}

function octal(key: string): string {
  return [...Buffer.from(key)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
