import { isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import type { z } from 'zod';
import { boundsProblem } from '../workflow/yaml/read-yaml.js';
import { nearest } from './nearest.js';

/** A mistake in a YAML file of the home. */
export interface YamlProblem {
  /** From 1; absent where the file as a whole is meant. */
  readonly line?: number;
  readonly column?: number;
  /** A sentence. */
  readonly text: string;
}

type Path = readonly PropertyKey[];

export interface YamlFile {
  readonly document: Document.Parsed;
  /** Mistakes of syntax, and every null that somebody wrote: nulls are refused wherever they stand. */
  readonly problems: readonly YamlProblem[];
  /** The content as plain data. Only where there are no problems. */
  readonly content: () => unknown;
  readonly at: (path: Path, text: string, key?: string) => YamlProblem;
}

/** Reads one document of YAML 1.2. One that is too large or too deep to be composed is a mistake, and stands for an empty one. */
export function readYaml(text: string): YamlFile {
  const beyond = boundsProblem(text);
  if (beyond !== undefined) return { ...readYaml('{}'), problems: [{ line: beyond.line, column: beyond.column, text: `${beyond.text} ${beyond.hint}` }] };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const place = (offset: number | undefined): { line?: number; column?: number } => {
    if (offset === undefined) return {};
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const at = (path: Path, sentence: string, key?: string): YamlProblem => ({ ...place(offsetOf(document, path, key)), text: sentence });
  const syntax = [...document.errors, ...document.warnings].map((error) => ({ ...place(error.pos[0]), text: asSentence(error.message) }));
  const problems = syntax.length > 0 ? syntax : nullPaths(document.contents, []).map((path) => at(path, `${path.length === 0 ? 'The file' : `\`${pathText(path)}\``} is null. Leave a setting away instead of writing null.`));
  return { document, problems, content: () => document.toJS() as unknown, at };
}

/** The mistakes that a schema found, as sentences with their places. Keys that are unknown are compared with those of the schema in whose object they stand. */
export function schemaProblems(file: YamlFile, error: z.ZodError, keysAt: (path: Path) => readonly string[]): readonly YamlProblem[] {
  const content = file.content();
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => {
        const known = keysAt(issue.path);
        const meant = nearest(key, known);
        const advice = meant === undefined ? (known.length === 0 ? '' : ` Known here: ${known.join(', ')}.`) : ` Did you mean \`${meant}\`?`;
        return file.at(issue.path, `\`${pathText([...issue.path, key])}\` is not a setting.${advice}`, key);
      });
    }
    const name = issue.path.length === 0 ? 'The file' : `\`${pathText(issue.path)}\``;
    if (issue.code === 'invalid_type' && valueAt(content, issue.path) === undefined) return [file.at(issue.path.slice(0, -1), `${name} is missing.`)];
    if (issue.code === 'invalid_type') return [file.at(issue.path, `${name} must be ${TYPES[issue.expected] ?? issue.expected}.`)];
    if (issue.code === 'invalid_value') {
      const known = issue.values.map(String);
      const meant = nearest(String(valueAt(content, issue.path)), known);
      return [file.at(issue.path, `${name} must be one of ${known.join(', ')}.${meant === undefined ? '' : ` Did you mean \`${meant}\`?`}`)];
    }
    return [file.at(issue.path, `${name} ${issue.message}`)];
  });
}

const TYPES: Readonly<Record<string, string>> = { string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false', object: 'a map', record: 'a map', array: 'a list' };

/** `file.yaml` with one mistake, or a list of them. */
export function problemsText(name: string, problems: readonly YamlProblem[]): string {
  const place = ({ line, column }: YamlProblem): string => (line === undefined ? '' : `${line}:${column ?? 1} `);
  const [only] = problems;
  if (problems.length === 1 && only !== undefined) return `${name}${only.line === undefined ? '' : `:${only.line}:${only.column ?? 1}`} ${only.text}`;
  return [`${name} has ${problems.length} mistakes:`, ...problems.map((problem) => `  ${place(problem)}${problem.text}`)].join('\n');
}

/** `repos.app.path`, `list[2]` */
export function pathText(path: Path): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('');
}

function nullPaths(node: unknown, path: Path): readonly Path[] {
  if (isMap(node)) return node.items.flatMap(({ key, value }) => nullPaths(value, [...path, isScalar(key) ? String(key.value) : String(key)]));
  if (isSeq(node)) return node.items.flatMap((item, index) => nullPaths(item, [...path, index]));
  if (isAlias(node)) return [];
  return node === null || node === undefined || (isScalar(node) && node.value === null) ? [path] : [];
}

/** Where a text or number begins; of anything else, its key. The nearest thing above it where it is not there. */
function offsetOf(document: Document.Parsed, path: Path, key?: string): number | undefined {
  let node: unknown = document.contents;
  let offset = rangeOf(node);
  for (const part of key === undefined ? path : [...path, key]) {
    if (isMap(node)) {
      const pair = node.items.find((item) => (isScalar(item.key) ? String(item.key.value) : String(item.key)) === String(part));
      if (!isPair(pair)) return offset;
      offset = rangeOf(pair.key) ?? offset;
      node = pair.value;
      if (isScalar(node) && node.value !== null && key === undefined) offset = rangeOf(node) ?? offset;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      offset = rangeOf(node) ?? offset;
    } else return offset;
  }
  return offset;
}

function rangeOf(node: unknown): number | undefined {
  return isNode(node) ? ((node as Node).range?.[0] ?? undefined) : undefined;
}

function valueAt(content: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined), content);
}

function asSentence(message: string): string {
  const line = message.split('\n')[0]?.trim() ?? '';
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
