import { readFile } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import path from 'node:path';
import type { JsonValue } from '../../../ports/json.js';
import { recordOf, type JsonRecord } from '../../driver/record.js';

/*
 * Where the Gemini CLI keeps its settings. Later ones win: system defaults, the user's, the directory's, the system's.
 *
 * A call cannot lay settings of its own over a directory: the file that GEMINI_CLI_SYSTEM_SETTINGS_PATH names is skipped, with a word on the error output,
 * unless it and every folder above it belong to root.
 */

export type HostEnv = Readonly<Record<string, string | undefined>>;

/** The folder `.gemini` of the user. */
export function userFolder(env: HostEnv): string {
  return path.join(env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? homedir(), '.gemini');
}

const SYSTEM_FILES: Readonly<Record<string, string>> = {
  darwin: '/Library/Application Support/GeminiCli/settings.json',
  win32: 'C:\\ProgramData\\gemini-cli\\settings.json',
};

/** The settings files that exist for a directory, the one that wins last; `undefined` for one that cannot be read or understood. */
export async function settingsFor(place: { readonly cwd: string; readonly env: HostEnv }): Promise<readonly (JsonRecord | undefined)[]> {
  const { cwd, env } = place;
  const system = env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] ?? SYSTEM_FILES[platform()] ?? '/etc/gemini-cli/settings.json';
  const defaults = env['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] ?? path.join(path.dirname(system), 'system-defaults.json');
  const files = [defaults, path.join(userFolder(env), 'settings.json'), settingsFile(cwd), system];
  return (await Promise.all(files.map(readSettings))).filter((settings) => settings !== 'absent');
}

export function settingsFile(directory: string): string {
  return path.join(directory, '.gemini', 'settings.json');
}

export async function readSettings(file: string): Promise<JsonRecord | undefined | 'absent'> {
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
