import { applyEdits, modify, parse, printParseErrorCode, type FormattingOptions, type ParseError } from 'jsonc-parser';
import { RelayError } from '../../errors/relay-error.js';

const NAME = 'relay-flow-plugin';

interface Entry {
  /** For messages. */
  readonly path: string;
  /** Absent: there is no such file. */
  readonly text: string | undefined;
  readonly plugin: string;
}

/** The text of a configuration file in which the plugin stands exactly once. An entry of another version is replaced in its place. Throws `harness_rejected`. */
export function withPlugin({ path, text, plugin, schema }: Entry & { readonly schema: string }): string {
  if (text === undefined || text.trim() === '') return `${JSON.stringify({ $schema: schema, plugin: [plugin] }, null, 2)}\n`;
  const entries = pluginsIn(path, text);
  if (entries === undefined) return edited(text, ['plugin'], [plugin]);
  const own = placesOf(entries, plugin);
  const [first] = own;
  if (first === undefined) return edited(text, ['plugin', entries.length], plugin, true);
  const single = own.slice(1).toReversed().reduce((rest, at) => edited(rest, ['plugin', at], undefined), text);
  return entries[first] === plugin ? single : edited(single, ['plugin', first], plugin);
}

/** The text without the plugin. Throws `harness_rejected`. */
export function withoutPlugin({ path, text = '', plugin }: Entry): string {
  if (text.trim() === '') return text;
  return placesOf(pluginsIn(path, text) ?? [], plugin).toReversed().reduce((rest, at) => edited(rest, ['plugin', at], undefined), text);
}

function placesOf(entries: readonly string[], plugin: string): readonly number[] {
  return entries.flatMap((entry, at) => (entry === plugin || entry === NAME || entry.startsWith(`${NAME}@`) ? [at] : []));
}

function pluginsIn(path: string, text: string): readonly string[] | undefined {
  const errors: ParseError[] = [];
  const root: unknown = parse(withoutMark(text), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = withoutMark(text).slice(0, error.offset).split('\n').length;
    throw refused(path, `is not valid: ${printParseErrorCode(error.error)} in line ${line}`);
  }
  if (typeof root !== 'object' || root === null || Array.isArray(root)) throw refused(path, 'does not hold an object');
  const plugins: unknown = Object.hasOwn(root, 'plugin') ? (root as { readonly plugin?: unknown }).plugin : undefined;
  if (plugins === undefined) return undefined;
  if (!Array.isArray(plugins) || !plugins.every((each): each is string => typeof each === 'string')) throw refused(path, 'has a `plugin` that is no list of texts');
  return plugins;
}

function refused(path: string, what: string): RelayError {
  return new RelayError('harness_rejected', `${path} ${what}, so the plugin of relay-flow was not entered there.`, { hint: 'Correct the file, then register the repository again.', evidence: { path } });
}

const MARK = '\uFEFF';

function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(1) : text;
}

function edited(text: string, at: (string | number)[], value: unknown, isArrayInsertion = false): string {
  const plain = withoutMark(text);
  const after = applyEdits(plain, modify(plain, at, value, { formattingOptions: layoutOf(plain), isArrayInsertion }));
  return text === plain ? after : MARK + after;
}

/** As the file is laid out already. */
function layoutOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 4 : indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
