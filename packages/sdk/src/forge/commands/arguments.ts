import { parseArgs, type ParseArgsConfig } from 'node:util';
import { FlowsError } from '../../errors/flows-error.js';

/** What a change helper was asked to do. */
export type ChangeCommand =
  | { readonly do: 'open'; readonly title: string; readonly bodyFile: string; readonly base?: string; readonly head?: string; readonly draft: boolean; readonly reviewers: readonly string[] }
  | { readonly do: 'draft' | 'ready' }
  | { readonly do: 'comment'; readonly bodyFile: string }
  | { readonly do: 'help'; readonly text: string };

const OPEN_USAGE = `relayflow-open-change --title <title> --body-file <file> [--base <branch>] [--head <branch>] [--draft] [--reviewer <name>]

Opens the change request of a branch, or brings the one that is open to what is asked, and prints its url.

  -t, --title <title>      One line.
  -F, --body-file <file>   The description, Markdown; - is standard input.
  -B, --base <branch>      Where it is to be merged. Default: the default branch.
  -H, --head <branch>      The branch with the commits, pushed. Default: the one that is checked out.
  -d, --draft              As a draft. Without it a draft becomes ready.
  -r, --reviewer <name>    Who is asked to review it; may be repeated.

Exit status: 0 done, 1 refused, 2 called in a wrong way.
`;

const CHANGE_USAGE = `relayflow-change draft | ready | comment --body-file <file>

Acts on the open change request of the branch that is checked out.

  draft                    Turns it into a draft.
  ready                    Marks it as ready for review.
  comment -F <file>        Posts a comment, Markdown; - is standard input.

Exit status: 0 done, 1 refused, 2 called in a wrong way.
`;

const OPEN_OPTIONS = {
  'title': { type: 'string', short: 't' },
  'body-file': { type: 'string', short: 'F' },
  'base': { type: 'string', short: 'B' },
  'head': { type: 'string', short: 'H' },
  'draft': { type: 'boolean', short: 'd' },
  'reviewer': { type: 'string', short: 'r', multiple: true },
  'help': { type: 'boolean', short: 'h' },
} as const satisfies NonNullable<ParseArgsConfig['options']>;

const CHANGE_OPTIONS = { 'body-file': { type: 'string', short: 'F' }, 'help': { type: 'boolean', short: 'h' } } as const satisfies NonNullable<ParseArgsConfig['options']>;

/** Reads the arguments of `relayflow-open-change`: those of `gh pr create` that flows use. Throws `invalid_invocation`. */
export function openArguments(args: readonly string[]): ChangeCommand {
  const { values } = parsed('relayflow-open-change', () => parseArgs({ args: joined(args, OPEN_OPTIONS), options: OPEN_OPTIONS }));
  if (values.help === true) return { do: 'help', text: OPEN_USAGE };
  const { title, base, head, draft = false, reviewer = [], 'body-file': bodyFile } = values;
  if (title === undefined || title.trim() === '') throw wrong('relayflow-open-change', 'needs --title <title>');
  if (/[\r\n]/.test(title.trim())) throw wrong('relayflow-open-change', 'takes a title of one line');
  if (bodyFile === undefined || bodyFile === '') throw wrong('relayflow-open-change', 'needs --body-file <file>');
  for (const [option, value] of [['base', base], ['head', head]] as const) {
    if (value !== undefined && !isBranch(value)) throw wrong('relayflow-open-change', `takes the name of a branch in --${option}, not ${JSON.stringify(value)}`);
  }
  const reviewers = reviewer.flatMap((names) => names.split(',')).map((name) => name.trim());
  if (reviewers.includes('')) throw wrong('relayflow-open-change', 'takes the name of a user in --reviewer');
  return { do: 'open', title: title.trim(), bodyFile, draft, reviewers, ...(base === undefined ? {} : { base }), ...(head === undefined ? {} : { head }) };
}

/** Reads the arguments of `relayflow-change`. Throws `invalid_invocation`. */
export function changeArguments(args: readonly string[]): ChangeCommand {
  const { values, positionals: [act, ...more] } = parsed('relayflow-change', () => parseArgs({ args: joined(args, CHANGE_OPTIONS), options: CHANGE_OPTIONS, allowPositionals: true }));
  if (values.help === true) return { do: 'help', text: CHANGE_USAGE };
  const bodyFile = values['body-file'];
  if (act === undefined || more.length > 0 || !['draft', 'ready', 'comment'].includes(act)) throw wrong('relayflow-change', 'needs one of draft, ready and comment');
  if (act === 'comment') {
    if (bodyFile === undefined || bodyFile === '') throw wrong('relayflow-change', 'needs --body-file <file> for a comment');
    return { do: 'comment', bodyFile };
  }
  if (bodyFile !== undefined) throw wrong('relayflow-change', `takes --body-file for a comment only, not for ${act}`);
  return { do: act === 'draft' ? 'draft' : 'ready' };
}

/** As much as matters here: what git refuses in any name, and a switch that lost its value. */
function isBranch(name: string): boolean {
  return /^[^\s~^:?*[\\\p{Cc}-][^\s~^:?*[\\\p{Cc}]*$/u.test(name);
}

/** `--title X` as `--title=X`. What follows such an option is its value, as for `gh`, also a title that begins with a hyphen. */
function joined(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>): string[] {
  const named = new Map<string, string>(Object.entries(options).flatMap(([name, { type, short }]) => (type === 'string' ? [[`--${name}`, name], [`-${short}`, name]] as const : [])));
  const whole: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const name = named.get(args[at] ?? '');
    const value = args[at + 1];
    if (name === undefined || value === undefined) whole.push(args[at] ?? '');
    else whole.push(`--${name}=${args[(at += 1)] ?? ''}`);
  }
  return whole;
}

function parsed<T>(command: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw wrong(command, `was called in a way it does not know: ${error.message.split('\n')[0]?.replace(/\.? To specify a positional.*$/, '').replace(/\.$/, '') ?? ''}`);
  }
}

function wrong(command: string, what: string): FlowsError {
  return new FlowsError('invalid_invocation', `${command} ${what}.`, { hint: `Read \`${command} --help\`.` });
}
