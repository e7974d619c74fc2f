import { basename } from 'node:path';
import { RelayError } from '../../errors/relay-error.js';
import { namesIn, requireKnownNames } from '../template.js';

/** What arguments of a command may ask for. Each is put into one argument, as it is. */
const ARGUMENT_NAMES = ['agent', 'ticket', 'node', 'title', 'workspace'] as const;

const SHELLS: ReadonlySet<string> = new Set(['ash', 'bash', 'dash', 'fish', 'ksh', 'sh', 'zsh']);

/** Throws `config_invalid` for a command that cannot be meant like that. */
export function checkCommand([program = '', ...args]: readonly string[], where: string): void {
  const refuse = (text: string, hint: string): never => {
    throw new RelayError('config_invalid', `${where} ${text}`, { hint });
  };
  if (program.trim() === '') refuse('names no program.', 'Its first element is the program.');
  if (/\s/.test(program) && args.length === 0) refuse('is one text with blanks.', 'It is a list: the program, then each argument by itself. No shell reads it.');
  if (namesIn(program).length > 0) refuse('has a variable in the name of its program.', 'To have another program for an agent, use harnessConfig.agents.');
  if ([program, ...args].some((each) => each.includes('\0'))) refuse('holds a zero byte.', 'Leave it out.');
  for (const argument of args) requireKnownNames(argument, ARGUMENT_NAMES, where);
  const script = SHELLS.has(basename(program)) ? args.findIndex((argument) => /^-[a-z]*c$/.test(argument)) : -1;
  if (script >= 0 && namesIn(args[script + 1] ?? '').length > 0) {
    refuse('puts a variable into the program of a shell, which would take what a ticket is called for commands.', 'Use the environment in there, quoted: "$RELAY_FLOW_TICKET", "$RELAY_FLOW_NODE"; or give the variable as an argument behind the program, and use "$1".');
  }
}
