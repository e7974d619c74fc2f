import { nearest } from './nearest.js';

/** What `flows.json` may hold. */
export interface FlowsConfig {
  /** The coding-agent CLI of steps that name none. */
  readonly cli?: string;
  /** The only models that may be used, compared exactly. Absent: any. Empty: none. */
  readonly models?: readonly string[];
  readonly executors?: readonly string[];
  /** MCP servers by name. */
  readonly mcp?: Readonly<Record<string, McpServer>>;
  readonly plugins?: readonly unknown[];
  readonly deploy?: { readonly bucket?: string };
}

export type McpServer =
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/** A value that has been read, or `undefined` when it is wrong; what is wrong with it was given to `report`. */
type Rule<T> = (value: unknown, path: string, report: (problem: string) => void) => T | undefined;

/** Checks the content of a `flows.json` and trims its strings. Pure. `problems` lists everything that is wrong, in the order of the file. */
export function readConfigValue(value: unknown): { readonly config: FlowsConfig; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const config: FlowsConfig = CONFIG(value, '', (problem) => problems.push(problem)) ?? {};
  return { config, problems };
}

const text: Rule<string> = (value, path, report) => {
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  report(`${path} must be a string that is not blank, got ${describe(value)}`);
  return undefined;
};

/** A string that is used as it is: an argument, a header or an environment variable may be empty or end in a space. */
const rawText: Rule<string> = (value, path, report) => {
  if (typeof value === 'string') return value;
  report(`${path} must be a string, got ${describe(value)}`);
  return undefined;
};

const anything: Rule<unknown> = (value) => value;

function listOf<T>(item: Rule<T>): Rule<readonly T[]> {
  return (value, path, report) => {
    if (Array.isArray(value)) return value.flatMap((entry, index) => item(entry, `${path}[${index}]`, report) ?? []);
    report(`${path} must be a list, got ${describe(value)}`);
    return undefined;
  };
}

const uniqueTexts: Rule<readonly string[]> = (value, path, report) => {
  const texts = listOf(text)(value, path, report);
  for (const repeated of new Set(texts?.filter((entry, index) => texts.indexOf(entry) !== index))) report(`${path} lists "${repeated}" more than once`);
  return texts;
};

function recordOf<T>(item: Rule<T>): Rule<Readonly<Record<string, T>>> {
  return (value, path, report) => {
    if (!isObject(value)) {
      report(`${path} must be an object, got ${describe(value)}`);
      return undefined;
    }
    return Object.fromEntries(Object.entries(value).flatMap(([key, entry]) => {
      const read = item(entry, member(path, key), report);
      return read === undefined ? [] : [[key, read]];
    }));
  };
}

function objectOf(members: Readonly<Record<string, Rule<unknown>>>): Rule<Record<string, unknown>> {
  return (value, path, report) => {
    if (!isObject(value)) {
      report(`${path === '' ? 'The file' : path} must be an object, got ${describe(value)}`);
      return undefined;
    }
    const read: Record<string, unknown> = {};
    for (const [key, entry] of Object.entries(value)) {
      const rule = Object.hasOwn(members, key) ? members[key] : undefined;
      if (rule === undefined) report(unknownKey(member(path, key), key, Object.keys(members)));
      else read[key] = rule(entry, member(path, key), report);
    }
    return read;
  };
}

const command = objectOf({ command: text, args: listOf(rawText), env: recordOf(rawText) });
const remote = objectOf({ url: text, headers: recordOf(rawText) });

const mcpServer: Rule<McpServer> = (value, path, report) => {
  if (!isObject(value)) {
    report(`${path} must be an object, got ${describe(value)}`);
    return undefined;
  }
  if ('command' in value === 'url' in value) {
    report(`${path} must have either "command" or "url"${'url' in value ? ', not both' : ''}`);
    return undefined;
  }
  return ('command' in value ? command : remote)(value, path, report) as McpServer | undefined;
};

const CONFIG = objectOf({
  cli: text,
  models: uniqueTexts,
  executors: listOf(text),
  mcp: recordOf(mcpServer),
  plugins: listOf(anything),
  deploy: objectOf({ bucket: text }),
});

function unknownKey(path: string, key: string, known: readonly string[]): string {
  const similar = nearest(key, known);
  return `${path} is not a known key${similar === undefined ? `; known are ${known.join(', ')}` : `; did you mean "${similar}"?`}`;
}

function member(path: string, key: string): string {
  const name = /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return path === '' && name.startsWith('.') ? key : path + name;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value === '' ? 'an empty string' : `the string ${JSON.stringify(value.slice(0, 40))}`;
  return 'an object';
}
