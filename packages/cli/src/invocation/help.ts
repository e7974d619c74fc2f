import type { Colors } from '../text/colors.js';
import { COMMANDS } from './commands.js';
import type { CommandDeclaration } from './declaration.js';
import { usageOf } from './parse.js';

export interface HelpStyle {
  readonly colors: Colors;
  /** How this program is called: `flows`, `npx @relayflows/cli`. */
  readonly program: string;
}

/** The help of the program: what a newcomer types first, then everything there is. */
export function programHelp({ colors, program }: HelpStyle): string {
  const first = [
    ['demo', 'Watch a ticket become a change request, offline'],
    ['new hello', 'Write hello.flow.ts'],
    ['check hello.flow.ts', 'Say whether it can run'],
    [`run hello.flow.ts --input '{}'`, 'Run it; every step is kept'],
    ['resume last', 'Go on after Ctrl-C, a crash or kill -9'],
    ['status last', 'See where it is'],
  ] as const;
  return page([
    `${colors.bold('flows')} runs flows: TypeScript functions made of durable steps.`,
    '',
    colors.bold('Start here'),
    ...columns(first.map(([args, explains]) => [`${program} ${args}`, explains])),
    '',
    colors.bold('Commands'),
    ...columns(COMMANDS.map(({ name, positionals, summary }) => [positionals.length === 0 ? name : `${name} ${usageOf(positionals)}`, summary])),
    '',
    colors.bold('Everywhere'),
    ...columns([
      ['--help', 'Explain a command by example: flows run --help'],
      ['--version', 'Print the version'],
    ]),
    '',
    colors.bold('Exit status'),
    ...columns([
      ['0', 'The run succeeded, or declined'],
      ['1', 'It failed, spent its budget or was canceled'],
      ['2', 'Refused: nothing was started'],
      ['3', 'It waits for a person'],
      ['130', 'Stopped by Ctrl-C; it can be resumed'],
    ]),
  ]);
}

/** The help of one command. */
export function commandHelp(command: CommandDeclaration, { colors, program }: HelpStyle): string {
  const { name, summary, positionals, examples, notes = [] } = command;
  const options = command.options.filter(({ refused, ignored }) => refused === undefined && ignored !== true);
  const usage = [program, name, ...(positionals.length === 0 ? [] : [usageOf(positionals)]), ...(options.length === 0 ? [] : ['[flags]'])].join(' ');
  return page([
    `${colors.bold(`flows ${name}`)}: ${summary}`,
    '',
    `  ${usage}`,
    '',
    colors.bold('Examples'),
    ...examples.flatMap(({ args, explains }) => [`  ${colors.dim(`# ${explains}`)}`, `  ${program} ${args}`]),
    ...section('Arguments', positionals.map((positional) => [usageOf([positional]), positional.summary]), colors),
    ...section('Flags', options.map((option) => [option.value === undefined ? `--${option.name}` : `--${option.name} <${option.value}>`, option.summary]), colors),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ]);
}

function section(title: string, rows: readonly (readonly [string, string])[], colors: Colors): string[] {
  return rows.length === 0 ? [] : ['', colors.bold(title), ...columns(rows)];
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function page(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
