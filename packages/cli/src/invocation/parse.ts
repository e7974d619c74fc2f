import { parseArgs } from 'node:util';
import { COMMANDS, commandNamed } from './commands.js';
import type { CommandDeclaration, CommandInvocation, CommandName, OptionDeclaration, PositionalDeclaration } from './declaration.js';
import { nearest } from './nearest.js';

/** What the words of a command line ask for. */
export type Invocation =
  | CommandInvocation
  | { readonly kind: 'help'; readonly command?: CommandDeclaration }
  | { readonly kind: 'version' }
  | RefusedInvocation;

export interface RefusedInvocation {
  readonly kind: 'refused';
  readonly command?: CommandName;
  readonly text: string;
  readonly hint: string;
}

const GLOBAL_FLAGS = ['--help', '--version'];

/** Reads a command line. Has no effect and never throws. */
export function parseInvocation(args: readonly string[]): Invocation {
  const [first, ...rest] = args;
  if (first === undefined || first === '--help' || first === '-h') return { kind: 'help' };
  if (first === '--version' || first === '-v' || first === '-V') return { kind: 'version' };
  if (first === 'help') return helpTopic(rest);
  if (first.startsWith('-')) return unknownFlagBeforeCommand(first);

  const declaration = commandNamed(first);
  if (declaration === undefined) return unknownCommand(first);
  if (asksForHelp(rest)) return { kind: 'help', command: declaration };
  return parseCommand(declaration, rest);
}

function helpTopic([topic]: readonly string[]): Invocation {
  if (topic === undefined || topic.startsWith('-')) return { kind: 'help' };
  const command = commandNamed(topic);
  return command === undefined ? unknownCommand(topic) : { kind: 'help', command };
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
}

function unknownCommand(word: string): RefusedInvocation {
  const names = COMMANDS.map((command) => command.name);
  const meant = /\.flow\.(ts|mts|js|mjs)$/.test(word) ? `run ${word}` : nearest(word, names);
  return {
    kind: 'refused',
    text: `There is no command \`${word}\`.`,
    hint: meant === undefined ? `The commands are ${names.join(', ')}. See \`flows --help\`.` : `Did you mean \`flows ${meant}\`? See \`flows --help\`.`,
  };
}

function unknownFlagBeforeCommand(flag: string): RefusedInvocation {
  const meant = nearest(flag, GLOBAL_FLAGS);
  return {
    kind: 'refused',
    text: `\`${flag}\` is not a command.`,
    hint: meant === undefined ? 'The command comes first and its flags follow: `flows <command> [flags]`. See `flows --help`.' : `Did you mean \`flows ${meant}\`?`,
  };
}

function parseCommand(declaration: CommandDeclaration, args: readonly string[]): CommandInvocation | RefusedInvocation {
  const help = `See \`flows ${declaration.name} --help\`.`;
  const refuse = (text: string, hint = help): RefusedInvocation => ({ kind: 'refused', command: declaration.name, text, hint });

  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(declaration.options.map((option) => [option.name, { type: option.value === undefined ? 'boolean' : 'string' }])),
  });

  const values: Record<string, string> = {};
  const switches = new Set<string>();
  const words: string[] = [];

  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      words.push(token.value);
      continue;
    }
    const option = token.rawName.startsWith('--') ? declaration.options.find(({ name }) => name === token.name) : undefined;
    if (option === undefined) return refuse(`\`flows ${declaration.name}\` has no flag \`${token.rawName}\`.`, flagHint(declaration, token.rawName, help));
    if (option.refused !== undefined) return refuse(`\`--${option.name}\` is not available: ${option.refused}`);
    if (option.name in values || switches.has(option.name)) return refuse(`\`--${option.name}\` was given more than once.`, `Give it once. ${help}`);
    if (option.value === undefined) {
      if (token.value !== undefined) return refuse(`\`--${option.name}\` takes no value.`, `Write \`--${option.name}\` alone. ${help}`);
      switches.add(option.name);
      continue;
    }
    const problem = valueProblem(option, token.value, token.inlineValue === true);
    if (problem !== undefined) return refuse(problem.text, problem.hint ?? help);
    values[option.name] = token.value ?? '';
  }

  if (switches.has('json') && switches.has('json-events')) return refuse('`--json` and `--json-events` exclude each other.', 'Choose one.');
  const problem = placePositionals(declaration.positionals, words, values, declaration.name);
  if (problem !== undefined) return refuse(problem.text, problem.hint ?? help);
  return { kind: 'command', command: declaration.name, values, switches };
}

function flagHint(declaration: CommandDeclaration, raw: string, help: string): string {
  const known = declaration.options.filter((option) => option.refused === undefined).map((option) => `--${option.name}`);
  const meant = nearest(raw, [...known, '--help']);
  return meant === undefined ? help : `Did you mean \`${meant}\`? ${help}`;
}

interface Complaint {
  readonly text: string;
  readonly hint?: string;
}

function valueProblem(option: OptionDeclaration, value: string | undefined, inline: boolean): Complaint | undefined {
  const flag = `--${option.name}`;
  if (value === undefined || (!inline && /^--?[a-z]/i.test(value))) {
    return { text: `\`${flag}\` needs a value: <${option.value}>.`, hint: `Write \`${flag} <${option.value}>\`, or \`${flag}=<${option.value}>\` when the value begins with a dash.` };
  }
  if (value === '') return { text: `\`${flag}\` was given an empty value.` };
  if (option.values !== undefined && !option.values.includes(value)) return notAmong(flag, value, option.values);
  if (option.integer === undefined) return undefined;
  const { min, max } = option.integer;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= min && number <= max) return undefined;
  return { text: `\`${flag}\` must be a whole number from ${min} to ${max}, not \`${value}\`.` };
}

function notAmong(what: string, value: string, accepted: readonly string[]): Complaint {
  const meant = nearest(value, accepted);
  return {
    text: `\`${what}\` cannot be \`${value}\`: it is one of ${accepted.join(', ')}.`,
    ...(meant === undefined ? {} : { hint: `Did you mean \`${meant}\`?` }),
  };
}

function placePositionals(declared: readonly PositionalDeclaration[], words: readonly string[], values: Record<string, string>, command: string): Complaint | undefined {
  const surplus = words[declared.length];
  if (surplus !== undefined) {
    return { text: `\`flows ${command}\` does not know what to do with \`${surplus}\`.`, hint: `It takes ${usageOf(declared)}. Quote a value that contains blanks.` };
  }
  for (const [index, positional] of declared.entries()) {
    const word = words[index];
    if (word === undefined || word === '') {
      if (positional.optional === true && word === undefined) continue;
      return { text: `\`flows ${command}\` needs <${positional.name}>: ${lowerFirst(positional.summary)}.` };
    }
    if (positional.values !== undefined && !positional.values.includes(word)) return notAmong(`<${positional.name}>`, word, positional.values);
    values[positional.name] = word;
  }
  return undefined;
}

/** `<run-id> [step]` */
export function usageOf(positionals: readonly PositionalDeclaration[]): string {
  if (positionals.length === 0) return 'no arguments';
  return positionals.map(({ name, optional }) => (optional === true ? `[${name}]` : `<${name}>`)).join(' ');
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]? /.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
