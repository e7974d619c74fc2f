import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { userFolder, type HostEnv } from './settings.js';

/*
 * How a turn is kept from writing: by policy files of the call. A tool that every rule denies is not registered at all, so that it can be neither
 * offered nor called, by a sub-agent neither. Plan mode is not enough: it lets plans be written, two sub-agents run, and the model leave the mode.
 */

/** What a turn may do: look around, or nothing but answer. */
export type Limit = 'read' | 'answer';

/** Tools that look at files and the web and change nothing. Whatever is not named is denied: the shell, writing, sub-agents, tool servers, what will come. */
const READING_TOOLS = ['read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search', 'google_web_search', 'web_fetch'];

const DENY_ALL = ['[[rule]]', 'toolName = "*"', 'decision = "deny"', 'priority = 998', ''];
const ALLOW_READING = ['[[rule]]', `toolName = ${JSON.stringify(READING_TOOLS)}`, 'decision = "allow"', 'priority = 999', ''];

/** No tool server has this name. An empty list would mean all of them, and they would be started. */
const NO_SERVERS = ['--allowed-mcp-server-names', 'relayflows-allows-none'];

export interface Limits {
  readonly args: readonly string[];
  readonly remove: () => Promise<void>;
}

/** The switches that hold a call to a limit. What is not allowed by name is refused too where nobody can be asked, as the approval mode `default` says. */
export async function limitsOf(limit: Limit, env: HostEnv): Promise<Limits> {
  const folder = await mkdtemp(path.join(tmpdir(), 'relayflows-gemini-'));
  const file = path.join(folder, 'limits.toml');
  await writeFile(file, [...DENY_ALL, ...(limit === 'read' ? ALLOW_READING : [])].join('\n'), { mode: 0o600 });
  // Where an administrator has policies, ours count as the user's. The user's own folder would not be read any more if it were not named.
  const own = path.join(userFolder(env), 'policies');
  const policies = (await stat(own).then(() => true, () => false)) ? [file, own] : [file];
  return {
    args: ['--approval-mode', 'default', '--admin-policy', file, ...policies.flatMap((policy) => ['--policy', policy]), '--extensions', 'none', ...NO_SERVERS],
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}
