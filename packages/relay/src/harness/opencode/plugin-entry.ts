import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { RelayError } from '../../errors/relay-error.js';
import { appended, replaced, without } from './jsonc-list.js';

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
  return edit(text, (plain) => {
    const list = listIn(path, plain);
    if (list.node === undefined) return appended(plain, list.root, `"plugin": [${JSON.stringify(plugin)}]`);
    const [first, ...others] = placesOf(list.node, plugin);
    if (first === undefined) return appended(plain, list.node, JSON.stringify(plugin));
    const single = take(path, plain, others);
    const kept = listIn(path, single).node?.children?.[first];
    return kept === undefined || kept.value === plugin ? single : replaced(single, kept, JSON.stringify(plugin));
  });
}

/** The text without the plugin. Throws `harness_rejected`. */
export function withoutPlugin({ path, text = '', plugin }: Entry): string {
  if (text.trim() === '') return text;
  return edit(text, (plain) => {
    const { node } = listIn(path, plain);
    return node === undefined ? plain : take(path, plain, placesOf(node, plugin));
  });
}

/** From the back, so that the numbers of the others stay. */
function take(path: string, text: string, places: readonly number[]): string {
  return places.toReversed().reduce((rest, at) => {
    const { node } = listIn(path, rest);
    return node === undefined ? rest : without(rest, node, at);
  }, text);
}

function placesOf({ children = [] }: Node, plugin: string): readonly number[] {
  return children.flatMap(({ value }, at) => {
    const entry = String(value);
    return entry === plugin || entry === NAME || entry.startsWith(`${NAME}@`) ? [at] : [];
  });
}

function listIn(path: string, text: string): { readonly root: Node; readonly node: Node | undefined } {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw refused(path, `is not valid: ${printParseErrorCode(error.error)} in line ${text.slice(0, error.offset).split('\n').length}`);
  if (root?.type !== 'object') throw refused(path, 'does not hold an object');
  const node = findNodeAtLocation(root, ['plugin']);
  if (node !== undefined && (node.type !== 'array' || node.children?.some(({ type }) => type !== 'string') === true)) throw refused(path, 'has a `plugin` that is no list of texts');
  return { root, node };
}

function refused(path: string, what: string): RelayError {
  return new RelayError('harness_rejected', `The file ${path} ${what}, so the plugin of relay-flow was not entered there.`, { hint: 'Correct the file, then register the repository again.', evidence: { path } });
}

const MARK = '\uFEFF';

/** Editors of some systems begin a file with a mark, which is no part of it. */
function edit(text: string, change: (plain: string) => string): string {
  return text.startsWith(MARK) ? MARK + change(text.slice(1)) : change(text);
}
