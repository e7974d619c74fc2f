import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, platform, tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonValue } from '../../../ports/json.js';
import { listOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';

/*
 * The settings of the Gemini CLI: what it reads, and what one call lays on top.
 *
 * Later ones win: system defaults, the user's, the directory's, the system's. The system's file is named by `GEMINI_CLI_SYSTEM_SETTINGS_PATH`, which is
 * how a call gets settings of its own without touching anybody's; what an administrator has put into the real one is kept in ours.
 */

type HostEnv = Readonly<Record<string, string | undefined>>;

/** The folder `.gemini` of the user. */
export function userFolder(env: HostEnv): string {
  return path.join(env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? homedir(), '.gemini');
}

const SYSTEM_FILES: Readonly<Record<string, string>> = {
  darwin: '/Library/Application Support/GeminiCli/settings.json',
  win32: 'C:\\ProgramData\\gemini-cli\\settings.json',
};

/** The file of the system's administrator. */
export function systemFile(env: HostEnv): string {
  return env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] ?? SYSTEM_FILES[platform()] ?? '/etc/gemini-cli/settings.json';
}

/** The settings files that exist for a directory, the one that wins last; `undefined` for one that cannot be read or understood. */
export async function settingsFor(place: { readonly cwd: string; readonly env: HostEnv }): Promise<readonly (JsonRecord | undefined)[]> {
  const { cwd, env } = place;
  const system = systemFile(env);
  const defaults = env['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] ?? path.join(path.dirname(system), 'system-defaults.json');
  const files = [defaults, path.join(userFolder(env), 'settings.json'), path.join(cwd, '.gemini', 'settings.json'), system];
  return (await Promise.all(files.map(readSettings))).filter((settings) => settings !== 'absent');
}

async function readSettings(file: string): Promise<JsonRecord | undefined | 'absent'> {
  try {
    return recordOf(JSON.parse(withoutComments(await readFile(file, 'utf8'))) as JsonValue);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : undefined;
  }
}

/** Settings may hold comments. */
function withoutComments(json: string): string {
  return json.replaceAll(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => (part.startsWith('"') ? part : ' '));
}

/** What a turn may do: everything, look around, or nothing but answer. */
export type HeldTo = 'work' | 'read' | 'answer';

/** Tools that look at files and the web and change nothing. What is not named here does not exist for the model: no shell, no writing, no sub-agents. */
const READING_TOOLS = ['read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search', 'google_web_search'];

/**
 * What a call is held to. `tools.core` names the tools that exist at all; naming none leaves none, while the approval mode alone would allow some
 * writing: plan mode lets plans be written, and its sub-agents run.
 */
const HELD_TO: Readonly<Record<HeldTo, JsonRecord>> = {
  work: {},
  read: { tools: { core: READING_TOOLS } },
  answer: {
    tools: { core: [] },
    hooksConfig: { enabled: false },
    skills: { enabled: false },
    // No file has this name: neither the user's memory nor that of the directory becomes part of the question.
    context: { includeDirectoryTree: false, fileName: ['.relayflows-reads-no-context'] },
  },
};

/** With it, `@name` in a task stands for any file whose path contains the name. */
const ALWAYS: JsonRecord = { general: { enableAutoUpdate: false }, context: { fileFiltering: { enableRecursiveFileSearch: false } } };

export interface CallSettings {
  /** Absolute path. */
  readonly file: string;
  readonly remove: () => Promise<void>;
}

/** Writes the system settings of one call. `undefined` when the administrator's cannot be read, so that nothing of them would hold. */
export async function settingsOfCall(env: HostEnv, heldTo: HeldTo): Promise<CallSettings | undefined> {
  const found = await readSettings(systemFile(env));
  if (found === undefined) return undefined;
  const system = found === 'absent' ? {} : found;
  const settings = withFewerTools(laid(laid(system, ALWAYS), HELD_TO[heldTo]), system);
  const folder = await mkdtemp(path.join(tmpdir(), 'relayflows-gemini-'));
  const file = path.join(folder, 'settings.json');
  await writeFile(file, JSON.stringify(settings), { mode: 0o600 });
  return { file, remove: async () => await rm(folder, { recursive: true, force: true }) };
}

/** One object over another; what is no object replaces. */
function laid(under: JsonRecord, over: JsonRecord): JsonRecord {
  const merged: Record<string, JsonValue | undefined> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    merged[name] = isObject ? (laid(recordOf(under[name]), recordOf(value)) as JsonValue) : value;
  }
  return merged;
}

/** An administrator's list of tools is not widened. */
function withFewerTools(settings: JsonRecord, system: JsonRecord): JsonRecord {
  const allowed = recordOf(system['tools'])['core'];
  const tools = recordOf(settings['tools']);
  if (allowed === undefined || tools['core'] === allowed) return settings;
  const names = new Set(listOf(allowed).map((name) => textOf(name)));
  return { ...settings, tools: { ...tools, core: listOf(tools['core']).filter((name) => names.has(textOf(name))) } };
}
