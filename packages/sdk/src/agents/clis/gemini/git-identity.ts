import { stepEnvironment } from '../../../process/environment.js';
import type { AgentRequest } from '../../port.js';

/*
 * The Gemini CLI hides the user's and the system's git settings from the commands of its shell tool: it sets GIT_CONFIG_GLOBAL and GIT_CONFIG_SYSTEM to
 * /dev/null, and nothing in its own settings changes that. So nobody is there to be the author of a commit, unless the repository names one. Settings
 * that are passed in git's own variables (GIT_CONFIG_COUNT and the rest) get through, and it adds its own after them.
 */

const NAMES = ['user.name', 'user.email'];

/** The variables that make the user the author of the agent's commits; none for what the repository or the environment decides itself. */
export async function gitIdentity(request: AgentRequest): Promise<Readonly<Record<string, string>>> {
  const host = stepEnvironment({ host: request.hostEnv, secrets: 'inherit', runVariables: {} });
  const { stdout, exitCode } = await request.supervise({
    file: 'git',
    args: ['config', '--null', '--show-scope', '--get-regexp', String.raw`^user\.(name|email)$`],
    cwd: request.cwd,
    env: host,
    marker: { ...request.marker, stepId: `${request.marker.stepId}-git` },
    timeoutMs: 5_000,
    sweep: 'group',
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  }).outcome;
  return exitCode === 0 ? asVariables(hidden(stdout.text), Number(host['GIT_CONFIG_COUNT'] ?? 0)) : {};
}

/** The settings that only the hidden files make, in git's list `scope NUL name LF value NUL`. */
export function hidden(list: string): ReadonlyMap<string, string> {
  const fields = list.split('\0');
  const found = new Map<string, string>();
  const decided = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', ...value] = (fields[at + 1] ?? '').split('\n');
    if (!NAMES.includes(name)) continue;
    if (fields[at] === 'global' || fields[at] === 'system') found.set(name, value.join('\n'));
    else decided.add(name);
  }
  for (const name of decided) found.delete(name);
  return found;
}

function asVariables(settings: ReadonlyMap<string, string>, from: number): Readonly<Record<string, string>> {
  if (settings.size === 0 || !Number.isSafeInteger(from)) return {};
  const variables = [...settings].flatMap(([name, value], at) => [[`GIT_CONFIG_KEY_${from + at}`, name], [`GIT_CONFIG_VALUE_${from + at}`, value]]);
  return Object.fromEntries([...variables, ['GIT_CONFIG_COUNT', String(from + settings.size)]]) as Record<string, string>;
}
