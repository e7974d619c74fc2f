import { Composer, Lexer, LineCounter, Parser, type CST, type Document } from 'yaml';
import { cut, placeIn, type Located, type Place } from './located.js';
import { locate } from './locate.js';

/** What is wrong with a file, where, and what to do: two sentences. */
export interface YamlProblem {
  /** Empty when it is about the whole file. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** What is wrong, as a sentence. */
  readonly text: string;
  /** What to do, as a sentence. */
  readonly hint: string;
}

/** Larger files are refused unread. */
export const YAML_MAX_BYTES = 1024 * 1024;

/** Deeper files are refused before they are composed: composing recurses, and a stack that is nearly used up can end the process. */
const MAX_DEPTH = 100;
/** Two stack entries of the parser are one level of a file. */
const MAX_STACK = 2 * MAX_DEPTH;
/** Pieces of text the lexer may find; a line has about eight. */
const MAX_LEXEMES = 100_000;
/** More mistakes help nobody. */
const MAX_PROBLEMS = 20;

/**
 * Reads one YAML 1.2 document with bounds on everything a file can make large: bytes, depth, pieces, and what aliases repeat. Refuses a key that stands twice, a
 * merge key, a tag, several documents, and what JSON cannot hold. Never throws.
 */
export function readYaml(source: string | Uint8Array): { readonly root: Located } | { readonly problems: readonly YamlProblem[] } {
  const text = decode(source);
  if (typeof text !== 'string') return { problems: [text] };
  const lines = new LineCounter();
  const tokens = tokenize(text, lines);
  if ('problem' in tokens) return { problems: [tokens.problem] };
  const documents = [...new Composer({ uniqueKeys: false, prettyErrors: false, logLevel: 'silent' }).compose(tokens.tokens, true, text.length)];
  const [document, second] = documents;
  if (document === undefined || document.contents === null) return { problems: [whole('The file holds nothing.', 'Write the workflow into it.')] };
  if (second !== undefined) {
    return { problems: [{ ...position(lines, second.range[0]), path: '', text: 'The file holds several YAML documents.', hint: 'Keep one, and put each other into a file of its own.' }] };
  }
  const syntax = syntaxProblems(document, lines);
  return syntax.length > 0 ? { problems: syntax } : locate(document, (offset) => position(lines, offset));
}

/** Where values of a text stand, by their way there, such as `nodes.review.agent`; what is not there stands at its beginning. For a text that can be read. */
export function placesIn(source: string | Uint8Array): (path: string) => Place {
  const yaml = readYaml(source);
  return (path) => ('problems' in yaml ? undefined : placeIn(yaml.root, path)) ?? { path: '', line: 1, column: 1 };
}

/** What makes a text of YAML one that must not be composed, if anything does. */
export function boundsProblem(text: string): YamlProblem | undefined {
  if (Buffer.byteLength(text) > YAML_MAX_BYTES) return whole(`The file is larger than ${YAML_MAX_BYTES} bytes.`, 'Make it smaller.');
  const tokens = tokenize(text, new LineCounter());
  return 'problem' in tokens ? tokens.problem : undefined;
}

function decode(source: string | Uint8Array): string | YamlProblem {
  if ((typeof source === 'string' ? Buffer.byteLength(source) : source.byteLength) > YAML_MAX_BYTES) {
    return whole(`The file is larger than ${YAML_MAX_BYTES} bytes.`, 'Move long texts into the repository, and name them in the descriptions.');
  }
  try {
    return (typeof source === 'string' ? source : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(source)).replace(/^\u{FEFF}/u, '');
  } catch {
    return whole('The file is not UTF-8 text.', 'Save it as UTF-8.');
  }
}

function tokenize(text: string, lines: LineCounter): { readonly tokens: readonly CST.Token[] } | { readonly problem: YamlProblem } {
  const parser = new Parser(lines.addNewLine);
  // The parser does this itself only when it is given the whole text.
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_STACK) return { problem: { ...whole(`The file is nested more than ${MAX_DEPTH} levels deep.`, 'Look for brackets that are not closed, and flatten the rest.'), ...position(lines, parser.offset) } };
    if (lexemes > MAX_LEXEMES) return { problem: whole('The file has too many parts.', 'Give the right file.') };
  }
  tokens.push(...parser.end());
  return { tokens };
}

function syntaxProblems(document: Document.Parsed, lines: LineCounter): readonly YamlProblem[] {
  const problems = [...document.errors, ...document.warnings].slice(0, MAX_PROBLEMS).map((error): YamlProblem => ({
    ...position(lines, error.pos[0]),
    path: '',
    text: `The YAML cannot be read: ${cut(error.message.split('\n')[0] ?? '', 160).replace(/[.:\s]+$/, '')}.`,
    hint: HINTS[error.code] ?? 'Correct the syntax here or in the lines above.',
  }));
  const { version, explicit } = document.directives.yaml;
  return explicit && version !== '1.2' ? [...problems, whole(`The file asks for YAML ${version}, in which words such as yes mean something else.`, 'Remove the %YAML line.')] : problems;
}

const HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'Indent with spaces instead of tabs.',
  TAG_RESOLVE_FAILED: 'Remove the tag that begins with an exclamation mark, or put the text in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'Put a text that holds a colon in quotes.',
  MISSING_CHAR: 'Add what is missing: a closing quote or bracket, or a space after a colon.',
};

const whole = (text: string, hint: string): YamlProblem => ({ path: '', line: 1, column: 1, text, hint });

function position(lines: LineCounter, offset: number): { readonly line: number; readonly column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
