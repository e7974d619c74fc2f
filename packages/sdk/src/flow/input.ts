import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { FlowsError } from '../errors/flows-error.js';
import type { JsonValue } from '../ports/json.js';
import { readJson } from './json-text.js';

/** The most bytes an input may have. */
export const INPUT_MAX_BYTES = 1_048_576;

/**
 * Reads the value of `--input`: the JSON in the file it names, when that is an existing regular file, and otherwise the JSON it is itself.
 * `cwd` is where relative paths begin. Throws `input_invalid`, `input_too_large`, `input_unreadable`.
 */
export function readInput(argument: string, options: { readonly cwd: string }): JsonValue {
  const path = existingFile(argument, options.cwd);
  if (path === undefined) return parseArgument(argument, options.cwd);
  const bytes = readBounded(path);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FlowsError('input_invalid', `The input file ${path} is not UTF-8 text.`, { hint: 'Save it as UTF-8.', evidence: { path }, cause });
  }
  const reading = readJson(text);
  if (reading.ok) return reading.value as JsonValue;
  const { line, column, reason } = reading;
  throw new FlowsError('input_invalid', `The input file is not JSON, ${path}:${line}:${column}: ${reason}.`, {
    hint: 'Correct the file.',
    evidence: { path, line, column },
  });
}

function parseArgument(argument: string, cwd: string): JsonValue {
  const bytes = Buffer.byteLength(argument);
  if (bytes > INPUT_MAX_BYTES) throw tooLarge('The input', bytes, {});
  const reading = readJson(argument);
  if (reading.ok) return reading.value as JsonValue;
  const { line, column, reason } = reading;
  if (isIrregular(argument, cwd)) {
    throw new FlowsError('input_invalid', `The input ${argument} is a directory, a pipe or a device, not a regular file.`, {
      hint: 'Name a file, or pass the JSON itself: --input "$(cat ticket.json)".',
      evidence: { path: resolve(cwd, argument) },
    });
  }
  const shown = argument.length > 60 ? `${argument.slice(0, 60)}…` : argument;
  throw new FlowsError('input_invalid', `The input is neither a file nor JSON, line ${line}, column ${column}: ${reason}, in ${JSON.stringify(shown)}.`, {
    hint: 'Give the path of a JSON file, or JSON in quotes: --input \'{"ticket": "ABC-1"}\' or --input \'"plain text"\'.',
    evidence: { line, column },
  });
}

/** Errors that say: this text is not the path of a file. */
const NO_SUCH_FILE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

function existingFile(argument: string, cwd: string): string | undefined {
  if (argument === '') return undefined;
  const path = resolve(cwd, argument);
  try {
    return statSync(path).isFile() ? path : undefined;
  } catch (error) {
    if (NO_SUCH_FILE.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    // A text that is JSON was hardly meant as a path that leads through a folder nobody may enter.
    if (readJson(argument).ok) return undefined;
    throw unreadable(path, error);
  }
}

function isIrregular(argument: string, cwd: string): boolean {
  try {
    return argument !== '' && !statSync(resolve(cwd, argument)).isFile();
  } catch {
    return false;
  }
}

/** The size is checked before and while reading: a file may grow meanwhile. */
function readBounded(path: string): Buffer {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const { size } = fstatSync(descriptor);
    if (size > INPUT_MAX_BYTES) throw tooLarge(`The input file ${path}`, size, { path });
    const buffer = Buffer.alloc(INPUT_MAX_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) read = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (length > INPUT_MAX_BYTES) throw tooLarge(`The input file ${path}`, length, { path });
    return buffer.subarray(0, length);
  } catch (error) {
    throw error instanceof FlowsError ? error : unreadable(path, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function tooLarge(what: string, bytes: number, evidence: { readonly path?: string }): FlowsError {
  return new FlowsError('input_too_large', `${what} has ${bytes.toLocaleString('en-US')} bytes; ${INPUT_MAX_BYTES.toLocaleString('en-US')} are allowed.`, {
    hint: 'Keep large data in a file and pass its path inside the input.',
    evidence: { ...evidence, bytes, limit: INPUT_MAX_BYTES },
  });
}

function unreadable(path: string, cause: unknown): FlowsError {
  return new FlowsError('input_unreadable', `The input file ${path} cannot be read: ${(cause as Error).message}.`, {
    hint: 'Check its permissions and those of its folders.',
    evidence: { path, errno: (cause as NodeJS.ErrnoException).code },
    cause,
  });
}
