import { stripVTControlCharacters } from 'node:util';

/*
 * What `--print-logs` writes on standard error, a line each (observed with 1.18.33): `timestamp=… level=… run=… message=… key=value …`, values with blanks in
 * JSON's quotes. What stops it before a turn begins stands there as `Error: …`, with colours, and not in the records.
 */

/** What a line says that the records do not, or only much later. */
export type LogEntry =
  /** A session was begun; one with a parent belongs to a sub-agent. */
  | { readonly type: 'created'; readonly sessionId: string; readonly parentId?: string }
  /** A model is asked, for the first time or again. */
  | { readonly type: 'asking'; readonly sessionId: string; readonly model: string }
  /** The answer was a refusal. Whether it is asked again is not said. */
  | { readonly type: 'refused'; readonly sessionId: string; readonly text: string }
  /** The error behind a record that only refers to it. */
  | { readonly type: 'cause'; readonly ref: string; readonly text: string }
  /** It gives up before the turn. */
  | { readonly type: 'fatal'; readonly text: string };

const FIELD = /([\w.]+)=("(?:[^"\\]|\\.)*"|\S*)/g;

/** What a line says; `undefined` when it is of no interest. Requests beside the conversation, for a title for example, are not. Pure. */
export function logEntry(line: string): LogEntry | undefined {
  if (!line.startsWith('timestamp=')) {
    const text = /^Error: (.*\S)/.exec(stripVTControlCharacters(line))?.[1];
    return text === undefined ? undefined : { type: 'fatal', text };
  }
  const fields = fieldsOf(line);
  const sessionId = fields.get('session.id') ?? '';
  switch (fields.get('message')) {
    case 'created': {
      const parentId = fields.get('parentID');
      return { type: 'created', sessionId: fields.get('id') ?? '', ...(parentId === undefined || parentId === 'undefined' ? {} : { parentId }) };
    }
    case 'stream':
      return fields.get('small') === 'true' ? undefined : { type: 'asking', sessionId, model: `${fields.get('providerID') ?? ''}/${fields.get('modelID') ?? ''}` };
    case 'stream error':
      return fields.get('small') === 'true' ? undefined : { type: 'refused', sessionId, text: withoutName(fields.get('error.error') ?? '') };
    case 'failed': {
      const ref = fields.get('ref');
      return ref === undefined ? undefined : { type: 'cause', ref, text: fields.get('error') ?? '' };
    }
    default:
      return undefined;
  }
}

/** Whether a line helps to understand a failure: it logs what it does in passing too, and that the network holds no newer list of models. Pure. */
export function isTelling(line: string): boolean {
  return line.trim() !== '' && !/ level=(?:INFO|DEBUG) /.test(line) && !line.includes('message="Failed to fetch models.dev"');
}

/** The first of each name: what a log line says about itself stands before what it quotes. */
function fieldsOf(line: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of line.matchAll(FIELD)) if (!fields.has(name)) fields.set(name, unquoted(value));
  return fields;
}

function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value.slice(1, -1);
  }
}

/** The name of the SDK's error class tells nobody anything. */
function withoutName(text: string): string {
  return text.replace(/^(?:AI_)?APICallError: /, '');
}
