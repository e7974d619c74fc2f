import { FlowsError } from '@relayflows/sdk';

/** A tracker and the filters of its tickets. */
export interface SourceAnswer {
  readonly kind: string;
  readonly [filter: string]: string | readonly string[] | boolean;
}

/**
 * Reads the trackers of a flag: `github:repository=acme/app:labels=bug+ready,slack:channel=dev:mentioned`. Trackers stand between commas, their filters
 * behind colons, labels between plus signs. A character that means something here is written as in a URL: `%2C`. Throws `invalid_invocation`.
 */
export function readSources(text: string): readonly SourceAnswer[] {
  return text.split(',').map((entry) => {
    const [kind = '', ...filters] = entry.split(':');
    if (kind.trim() === '') throw unreadable(text);
    return { kind: kind.trim(), ...Object.fromEntries(filters.map((filter) => readFilter(filter, text))) };
  });
}

function readFilter(filter: string, whole: string): readonly [string, string | readonly string[] | boolean] {
  const at = filter.indexOf('=');
  const name = (at === -1 ? filter : filter.slice(0, at)).trim();
  const value = at === -1 ? undefined : filter.slice(at + 1);
  if (name === 'mentioned' && (value === undefined || value === 'true' || value === 'false')) return [name, value !== 'false'];
  if (name === '' || value === undefined || value === '') throw unreadable(whole);
  return [name, name === 'labels' ? value.split('+').map((label) => decoded(label, whole)) : decoded(value, whole)];
}

function decoded(text: string, whole: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadable(whole);
  }
}

function unreadable(text: string): FlowsError {
  return new FlowsError('invalid_invocation', `\`--sources\` cannot be read: ${JSON.stringify(text)}.`, {
    hint: 'Write trackers and their filters as `github:repository=acme/app:labels=bug+ready,linear:team=ENG`.',
  });
}

/** The flag that says the same. */
export function sourcesFlag(sources: readonly SourceAnswer[]): string {
  const value = (filter: string | readonly string[] | boolean): string => (typeof filter === 'string' ? escaped(filter) : typeof filter === 'boolean' ? String(filter) : filter.map(escaped).join('+'));
  return sources.map(({ kind, ...filters }) => [kind, ...Object.entries(filters).map(([name, filter]) => `${name}=${value(filter)}`)].join(':')).join(',');
}

function escaped(text: string): string {
  return text.replaceAll(/[%,:+\s]/g, (character) => encodeURIComponent(character));
}
