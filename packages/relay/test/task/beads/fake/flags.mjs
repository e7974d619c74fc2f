import { Refusal } from './refusal.mjs';

/** What each command takes: words, and flags: `switch` takes nothing, `value` the last one counts, `each` all count. */
const COMMANDS = {
  list: { words: 0, flags: { ready: 'switch', limit: 'value', 'no-parent': 'switch', parent: 'value', all: 'switch', status: 'value', 'label-pattern': 'value' } },
  show: { words: 1, flags: {} },
  comments: { words: 1, flags: {} },
  create: { words: 1, flags: { type: 'value', parent: 'value', 'no-inherit-labels': 'switch', labels: 'value', stdin: 'switch', 'allow-empty-description': 'switch' } },
  update: { words: 1, flags: { status: 'value', assignee: 'value', 'add-label': 'each', description: 'value', defer: 'value', claim: 'switch', 'allow-empty-description': 'switch' } },
  comment: { words: 1, flags: { stdin: 'switch' } },
  close: { words: 1, flags: { reason: 'value' } },
  reopen: { words: 1, flags: { reason: 'value' } },
  'dep add': { words: 2, flags: { type: 'value' } },
  'label add': { words: 2, flags: {} },
  'label remove': { words: 2, flags: {} },
  ready: { words: 0, flags: { limit: 'value', explain: 'switch' } },
};

/** The longest word that a program may put on the command line: what people write is for stdin. */
const LONGEST = 300;

export function parse(argv, input) {
  const two = argv.slice(0, 2).join(' ');
  const name = Object.hasOwn(COMMANDS, two) ? two : argv[0];
  if (!Object.hasOwn(COMMANDS, name)) throw new Refusal('usage', `unknown command "${name}" for "bd"`);
  const command = COMMANDS[name];
  const words = [];
  const flags = {};
  const rest = argv.slice(name.split(' ').length);
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at];
    if (word.length > LONGEST) throw new Refusal('usage', 'argument too long');
    if (!word.startsWith('-')) {
      words.push(word);
      continue;
    }
    const [, flag, , inline] = /^--([a-z-]+)(=([\s\S]*))?$/.exec(word) ?? [];
    if (flag === 'json' && inline === undefined) {
      flags.json = true;
      continue;
    }
    const kind = flag === undefined || !Object.hasOwn(command.flags, flag) ? undefined : command.flags[flag];
    if (kind === undefined) throw new Refusal('usage', `unknown flag: ${word}`);
    if (kind === 'switch') {
      flags[flag] = true;
      continue;
    }
    const value = inline ?? rest[(at += 1)];
    if (value === undefined) throw new Refusal('usage', `flag needs an argument: ${word}`);
    // A flag that is given twice has the last value.
    if (kind === 'value') flags[flag] = value;
    else flags[flag] = [...(flags[flag] ?? []), ...value.split(',')];
  }
  if (words.length !== command.words) throw new Refusal('usage', `accepts ${command.words} arg(s), received ${words.length}`);
  if (flags.json !== true) throw new Refusal('usage', 'a program must pass --json');
  if (flags.description !== undefined && flags.description !== '-') throw new Refusal('usage', 'a program must give descriptions on stdin');
  if (name === 'comment' && flags.stdin !== true) throw new Refusal('usage', 'a program must give comments on stdin');
  return { name, words, flags, ...(flags.stdin === true || flags.description === '-' ? { input: input() } : {}) };
}
