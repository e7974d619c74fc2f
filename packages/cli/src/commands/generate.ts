import { createHash } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import { FlowsError } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { writeNew, type NewFile } from '../files/write-new.js';
import { answersOf, draftWith, USUAL } from '../generate/answers.js';
import { readDraft } from '../generate/read-draft.js';
import { EXIT, SIGNAL_EXIT } from '../report/exit-status.js';
import { cleanLine, jsonLine } from '../text/clean.js';
import { shellWord } from '../text/shell-word.js';

type Generator = typeof import('@relayflows/generator');
type DraftInput = import('@relayflows/generator').DraftInput;

const FLOW_FILE = 'software-garden.flow.ts';
/** The file that means standard output. */
const PRINTED = '-';

interface Wanted {
  readonly draft: DraftInput;
  readonly output?: string;
  readonly kit?: string;
}

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values, switches }, io } = context;
  refuseContradictions(values);
  // It brings the TypeScript compiler along, which takes most of a second to load.
  const generator = await import('@relayflows/generator');
  const wanted = await whatIsWanted(context, generator);
  if (wanted === undefined) return SIGNAL_EXIT.SIGINT;

  const { draft, kit, output = FLOW_FILE } = wanted;
  const files = checked(generator, () => (kit === undefined ? [{ name: output, text: generator.generate(draft) }] : generator.generateKit(draft).map(({ name, text }) => ({ name: join(kit, name), text }))));
  const saved = values['save-draft'];
  const printed = kit === undefined && output === PRINTED;
  const written: NewFile[] = [
    ...(printed ? [] : files.map(({ name, text }) => ({ path: resolve(io.cwd, name), text }))),
    ...(saved === undefined ? [] : [{ path: resolve(io.cwd, saved), text: `${JSON.stringify(draft, null, 2)}\n` }]),
  ];
  writeNew(written);

  if (switches.has('json')) io.stdout.write(`${jsonLine(document(draft, written, printed ? files[0]?.text : undefined))}\n`);
  else if (printed) io.stdout.write(files[0]?.text ?? '');
  else io.stdout.write(`${told(context, draft, wanted, written).join('\n')}\n`);
  return EXIT.success;
}

function refuseContradictions({ kit, output, target }: Readonly<Record<string, string>>): void {
  const refuse = (text: string, hint: string): never => {
    throw new FlowsError('invalid_invocation', text, { hint });
  };
  if (kit !== undefined && output !== undefined) refuse('`--kit` and `--output` exclude each other.', 'A kit holds the flow: leave `--output` out.');
  if (kit !== undefined && target === 'cloud') refuse('A kit runs here, and its flow filters the tickets itself.', 'Leave `--target` out, or write the flow alone with `--output`.');
  if (output !== undefined && output !== PRINTED && !/\.flow\.m?ts$/.test(output)) refuse(`${JSON.stringify(output)} cannot be run: the file of a flow ends in .flow.ts or .flow.mts.`, `For example: \`flows generate --output ${FLOW_FILE}\`.`);
}

/** The draft and where its flow goes; `undefined` when somebody left the questions. */
async function whatIsWanted({ invocation: { values, switches }, io }: CommandContext, generator: Generator): Promise<Wanted | undefined> {
  const given = answersOf(values);
  const { draft: file, kit, output } = values;
  const destination = { ...(kit === undefined ? {} : { kit }), ...(output === undefined ? {} : { output }) };
  if (file !== undefined) return { draft: draftWith(readDraft(file, io.cwd), given), ...destination };
  if (io.inputIsTerminal && io.stderr.isTerminal && !switches.has('json')) {
    const { ask, Left } = await import('../generate/wizard.js');
    try {
      const { answers, destination: where } = await ask(given, destination, generator);
      return { draft: draftWith(USUAL, answers), ...where };
    } catch (error) {
      if (error instanceof Left) return undefined;
      throw error;
    }
  }
  if (given.agents === undefined) {
    throw new FlowsError('invalid_invocation', '`flows generate` needs a draft or, without a terminal to ask on, at least the agents.', { hint: 'For example: `flows generate --agents claude,codex --sources github`.' });
  }
  return { draft: draftWith(USUAL, given), ...destination };
}

/** A draft that cannot be used is refused with a line for each of its problems. */
function checked<T>({ DraftError }: Generator, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DraftError)) throw error;
    const lines = error.problems.map(({ path, text }) => `${path === '' ? 'draft' : path}: ${cleanLine(text)}`);
    throw new FlowsError('draft_invalid', lines.length === 1 ? `The draft cannot be used. ${lines[0]}.` : ['The draft cannot be used:', ...lines].join('\n'), {
      hint: 'Correct what is named; nothing was written.',
      evidence: { problems: error.problems },
      cause: error,
    });
  }
}

function document(draft: DraftInput, written: readonly NewFile[], source: string | undefined): Record<string, unknown> {
  const files = written.map(({ path, text }) => ({ path, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') }));
  return { v: 1, ok: true, command: 'generate', draft, files, ...(source === undefined ? {} : { source }) };
}

function told({ io, style }: CommandContext, { workflow, agents, sources }: DraftInput, { kit }: Wanted, written: readonly NewFile[]): string[] {
  const shown = (path: string): string => {
    const near = relative(io.cwd, path);
    return near.startsWith('..') ? path : near;
  };
  // As it can be typed: a hyphen in front would begin an option.
  const typed = (path: string): string => cleanLine(shellWord(path.replace(/^(?=-)/, './')));
  const [first] = written;
  const flow = first === undefined ? '' : typed(shown(first.path));
  return [
    `Workflow ${workflow}, ${agents.length === 1 ? 'agent' : 'agents'} ${agents.join(', ')}, tickets of ${sources.map(({ kind }) => kind).join(', ')}.`,
    ...written.map(({ path, text }) => `Wrote ${cleanLine(shown(path))} (${(Buffer.byteLength(text) / 1_000).toFixed(1)} kB)`),
    '',
    ...(kit === undefined
      ? ['See whether it can run here:', `  ${style.command(`check ${flow}`)}`, 'Run it in a checkout with an origin:', `  ${style.command(`run ${flow} --input ticket.json`)}`]
      : ['Move it into your repository; no file is overwritten:', `  node ${typed(join(kit, 'relay-preflight.mjs'))} --install path/to/your/repository`, `How it goes on stands in ${cleanLine(join(kit, 'START-HERE.txt'))}.`]),
  ];
}
