import type { Paint } from '../text/paint.js';
import type { CommandDeclaration } from './declaration.js';
import { commandNamed, COMMANDS, commandsOf, GROUPS } from './table.js';

/** The help of all of it, of a group or of a command. */
export function helpLines(topic: string | undefined, paint: Paint): string[] {
  const command = topic === undefined ? undefined : commandNamed(topic);
  if (command !== undefined) return commandHelp(command, paint);
  return topic === undefined ? programHelp(paint) : groupHelp(topic, paint);
}

function programHelp({ bold }: Paint): string[] {
  const alone = COMMANDS.filter(({ name }) => !name.includes(' '));
  const plugins = alone.filter(({ summary }) => summary.startsWith('For plugins'));
  return [
    `${bold('relay-flow')} walks a graph of agents and people for every ticket.`,
    '',
    bold('Start here'),
    ...columns([
      ['relay-flow init', 'Make the home'],
      ['relay-flow serve --background', 'Start the server'],
      ['relay-flow repo register', 'Say where tickets are'],
      ['relay-flow workflow submit --file change.yaml', 'Say what is to be done with them'],
      ['relay-flow run list', 'See where they stand'],
    ]),
    '',
    bold('Commands'),
    ...columns([...alone.filter((command) => !plugins.includes(command)), ...GROUPS.flatMap((group) => [...commandsOf(group)]), ...plugins].map(({ name, summary }) => [name, summary])),
    '',
    bold('Everywhere'),
    ...columns([
      ['--json', 'Print one line of JSON: {"ok":true,"data":…}'],
      ['--no-color', 'Print without colors'],
      ['--help', 'Explain a command: relay-flow run get --help'],
      ['--version', 'Print the version'],
    ]),
    '',
    bold('Exit status'),
    ...columns([
      ['0', 'It was done'],
      ['1', 'It failed, or was refused'],
      ['2', 'The command line has a mistake; nothing was done'],
    ]),
  ];
}

function groupHelp(group: string, { bold }: Paint): string[] {
  const commands = commandsOf(group);
  return [
    bold(`relay-flow ${group}`),
    '',
    ...columns(commands.map(({ name, summary }) => [`relay-flow ${name}`, summary])),
    '',
    bold('Examples'),
    ...commands.flatMap(({ examples }) => examples.slice(0, 1)).map(({ args }) => `  relay-flow ${args}`),
  ];
}

function commandHelp({ name, summary, options, examples, notes = [] }: CommandDeclaration, { bold, dim }: Paint): string[] {
  const shown = options.filter(({ refused }) => refused === undefined);
  const needed = shown.filter(({ required }) => required === true).map((option) => ` --${option.name} <${option.value ?? ''}>`);
  return [
    `${bold(`relay-flow ${name}`)}: ${summary}`,
    '',
    `  relay-flow ${name}${needed.join('')} [options]`,
    '',
    bold('Examples'),
    ...examples.flatMap(({ args, explains }) => [`  ${dim(`# ${explains}`)}`, `  relay-flow ${args}`]),
    '',
    bold('Options'),
    ...columns(shown.map((option) => [`--${option.name}${option.value === undefined ? '' : ` <${option.value}>`}`, option.summary])),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ];
}

function columns(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
