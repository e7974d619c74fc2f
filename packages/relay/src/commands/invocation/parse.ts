import { parseArgs } from 'node:util';
import { nearest } from '../../host/nearest.js';
import type { CommandDeclaration, CommandInvocation, OptionDeclaration } from './declaration.js';
import { commandNamed, COMMANDS, commandsOf, GROUPS } from './table.js';

/** What the words of a command line ask for. */
export type Invocation =
  | CommandInvocation
  /** `topic` is a command or a group; all of it when absent. */
  | { readonly kind: 'help'; readonly topic?: string }
  | { readonly kind: 'version' }
  | Refusal;

export interface Refusal {
  readonly kind: 'refused';
  readonly command?: string;
  readonly text: string;
  readonly hint: string;
}

/** Reads a command line. Touches nothing and never throws. */
export function parse(args: readonly string[]): Invocation {
  const [first, second] = args;
  if (first === undefined || first === '--help' || first === '-h') return { kind: 'help' };
  if (first === '--version' || first === '-v') return { kind: 'version' };
  if (first === 'help') return help(args.slice(1));
  if (first.startsWith('-')) return { kind: 'refused', text: `${code(first)} is not a command.`, hint: 'The command comes first: `relay-flow <command> [options]`. See `relay-flow --help`.' };
  if (!GROUPS.includes(first)) return commandNamed(first) === undefined ? unknown(second === undefined || second.startsWith('-') ? first : `${first} ${second}`) : commandOrHelp(first, args.slice(1));
  if (second === undefined || second.startsWith('-')) {
    if (second === '--help' || second === '-h') return { kind: 'help', topic: first };
    return { kind: 'refused', command: first, text: `${code(`relay-flow ${first}`)} needs to be told what to do.`, hint: `It is one of ${wordsOf(first).join(', ')}. See \`relay-flow ${first} --help\`.` };
  }
  return commandOrHelp(`${first} ${second}`, args.slice(2));
}

function help(words: readonly string[]): Invocation {
  const topic = words.filter((word) => !word.startsWith('-')).slice(0, 2).join(' ');
  if (topic === '') return { kind: 'help' };
  return GROUPS.includes(topic) || commandNamed(topic) !== undefined ? { kind: 'help', topic } : unknown(topic);
}

function commandOrHelp(name: string, rest: readonly string[]): Invocation {
  const command = commandNamed(name);
  if (command === undefined) return unknown(name);
  const end = rest.indexOf('--');
  if (rest.slice(0, end === -1 ? undefined : end).some((word) => word === '--help' || word === '-h')) return { kind: 'help', topic: name };
  return options(command, rest);
}

function unknown(name: string): Refusal {
  const meant = nearestCommand(name);
  const [group = ''] = name.split(' ');
  const all = GROUPS.includes(group) ? `It is one of ${wordsOf(group).join(', ')}. See \`relay-flow ${group} --help\`.` : 'See `relay-flow --help`.';
  return { kind: 'refused', text: `There is no command ${code(name)}.`, hint: meant === undefined ? all : `Did you mean \`relay-flow ${meant}\`?` };
}

/** A slip in either word, or one of the two alone. */
function nearestCommand(name: string): string | undefined {
  const [first = '', second] = name.split(' ');
  const group = GROUPS.includes(first) ? first : nearest(first, GROUPS);
  if (second !== undefined && group !== undefined) {
    const word = nearest(second, wordsOf(group));
    if (word !== undefined) return `${group} ${word}`;
  }
  if (GROUPS.includes(first)) return undefined;
  const alone = nearest(first, [...COMMANDS.map(({ name: full }) => full).filter((full) => !full.includes(' ')), ...GROUPS]);
  const word = nearest(first, GROUPS.flatMap(wordsOf));
  const withWord = COMMANDS.filter(({ name: full }) => word !== undefined && full.endsWith(` ${word}`));
  return alone ?? (withWord.length === 1 ? withWord[0]?.name : undefined);
}

function options(command: CommandDeclaration, args: readonly string[]): CommandInvocation | Refusal {
  const see = `See \`relay-flow ${command.name} --help\`.`;
  const refuse = (text: string, hint = see): Refusal => ({ kind: 'refused', command: command.name, text, hint });
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(command.options.map((option) => [option.name, { type: option.value === undefined ? 'boolean' : 'string' }])),
  });
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') return refuse(`${code(`relay-flow ${command.name}`)} does not know what to do with ${code(token.value)}.`, surplusHint(command, see));
    const option = token.rawName.startsWith('--') ? command.options.find(({ name }) => name === token.name) : undefined;
    if (option === undefined) return refuse(`${code(`relay-flow ${command.name}`)} has no option ${code(token.rawName)}.`, optionHint(command, token.rawName, see));
    if (option.refused !== undefined) return refuse(`${code(token.rawName)} is not available here. ${option.refused}`);
    const problem = valueProblem(option, token.value, token.inlineValue === true, see);
    if (problem !== undefined) return refuse(...problem);
    const values = given.get(option.name) ?? [];
    if (values.length > 0 && option.many !== true) return refuse(`${code(token.rawName)} was given twice.`, `Give it once. ${see}`);
    given.set(option.name, [...values, token.value ?? '']);
  }
  const missing = missingOption(command, given);
  if (missing !== undefined) return refuse(...missing);
  const valued = command.options.filter(({ name, value }) => value !== undefined && given.has(name));
  return {
    kind: 'command',
    command: command.name,
    values: Object.fromEntries(valued.map(({ name }) => [name, given.get(name)?.at(-1) ?? ''])),
    lists: Object.fromEntries(valued.filter(({ many }) => many === true).map(({ name }) => [name, given.get(name) ?? []])),
    switches: new Set(command.options.filter(({ name, value }) => value === undefined && given.has(name)).map(({ name }) => name)),
  };
}

type Complaint = readonly [text: string, hint?: string];

function valueProblem({ name, value, values }: OptionDeclaration, given: string | undefined, inline: boolean, see: string): Complaint | undefined {
  const option = `--${name}`;
  if (value === undefined) return given === undefined ? undefined : [`${code(option)} takes no value.`, `Write ${code(option)} alone. ${see}`];
  if (given === undefined || (!inline && /^--[a-z]/i.test(given))) return [`${code(option)} needs a value: <${value}>.`, `Write \`${option} <${value}>\`, or \`${option}=<${value}>\` when it begins with dashes.`];
  if (given === '') return [`${code(option)} was given an empty value.`];
  if (values === undefined || values.includes(given)) return undefined;
  const meant = nearest(given, values);
  return [`${code(option)} cannot be ${code(given)}: it is one of ${values.join(', ')}.`, meant === undefined ? see : `Did you mean \`${meant}\`?`];
}

function missingOption({ options: all, together = [], either = [] }: CommandDeclaration, given: ReadonlyMap<string, unknown>): Complaint | undefined {
  const asOptions = (names: readonly string[], last: string): string => names.map((name) => code(`--${name}`)).join(', ').replace(/, ([^,]*)$/, ` ${last} $1`);
  const needed = all.filter(({ name, required }) => required === true && !given.has(name));
  if (needed.length > 0) return [`${asOptions(needed.map(({ name }) => name), 'and')} ${needed.length === 1 ? 'is' : 'are'} missing: ${needed.map(({ summary }) => `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`).join('; ')}.`];
  const absent = together.filter((name) => !given.has(name));
  if (absent.length > 0 && absent.length < together.length) return [`${asOptions(together, 'and')} go together, and ${asOptions(absent, 'and')} ${absent.length === 1 ? 'is' : 'are'} missing.`];
  const excluding = either.filter((name) => given.has(name));
  return excluding.length > 1 ? [`${asOptions(excluding, 'and')} exclude each other.`, 'Choose one.'] : undefined;
}

function optionHint({ options: all }: CommandDeclaration, raw: string, see: string): string {
  const meant = nearest(raw, [...all.filter(({ refused }) => refused === undefined).map(({ name }) => `--${name}`), '--help']);
  return meant === undefined ? see : `Did you mean \`${meant}\`? ${see}`;
}

/** Values are given by options only: `run get ABC-12` is a likely slip. */
function surplusHint({ options: all }: CommandDeclaration, see: string): string {
  const [wanted] = all.filter(({ required }) => required === true);
  return wanted === undefined ? `It takes options only. Quote a value that has blanks. ${see}` : `It takes options only: \`--${wanted.name} <${wanted.value ?? ''}>\`. ${see}`;
}

function wordsOf(group: string): readonly string[] {
  return commandsOf(group).map(({ name }) => name.split(' ')[1] ?? '');
}

/** What somebody typed, short and without control characters. */
function code(typed: string): string {
  const shown = typed.replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, ' ');
  return `\`${shown.length > 80 ? `${shown.slice(0, 79)}…` : shown}\``;
}
