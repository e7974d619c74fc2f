import { execFile } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { RelayError } from '../../errors/relay-error.js';
import { inheritedEnvironment, type HostEnvironment } from '../inherited-environment.js';

export interface OpencodeAgent {
  readonly name: string;
  /** As it is listed: `primary`, `subagent`, `all`. */
  readonly mode?: string;
}

/** It reads plugins and may install what they need. */
const DEADLINE_MS = 60_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Several nodes of a workflow are looked at one after the other, and every look takes seconds. */
const REMEMBERED_MS = 30_000;

/** Remembers for a moment which agents a repository has. */
export class AgentLists {
  readonly #lists = new Map<string, { readonly at: number; readonly agents: Promise<readonly OpencodeAgent[]> }>();

  /** Looks again when `name` is not among what is remembered: somebody may just have made it. */
  async with(name: string, of: Parameters<typeof listAgents>[0]): Promise<readonly OpencodeAgent[]> {
    const known = this.#lists.get(of.repo);
    if (known !== undefined && performance.now() - known.at < REMEMBERED_MS) {
      const agents = await known.agents;
      if (agents.some((agent) => agent.name === name)) return agents;
    }
    const agents = listAgents(of);
    this.#lists.set(of.repo, { at: performance.now(), agents });
    agents.catch(() => this.#lists.delete(of.repo));
    return await agents;
  }
}

/** The agents of a repository, as `opencode agent list` says. Throws `harness_unavailable`, `harness_rejected`. */
export async function listAgents({ program, repo, env }: { readonly program: string; readonly repo: string; readonly env: HostEnvironment }): Promise<readonly OpencodeAgent[]> {
  const output = await new Promise<string>((resolve, reject) => {
    execFile(program, ['agent', 'list'], { cwd: repo, env: inheritedEnvironment(env), timeout: DEADLINE_MS, killSignal: 'SIGKILL', maxBuffer: MOST_BYTES, encoding: 'utf8' }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else if (error.killed === true) reject(new RelayError('harness_unavailable', `OpenCode did not list its agents for ${repo} within ${DEADLINE_MS / 1_000} s.`, { hint: 'Run `opencode agent list` there to see what it does.' }));
      else reject(new RelayError('harness_rejected', `OpenCode could not list its agents for ${repo}: it ended with ${error.code ?? error.signal ?? 'a failure'}.`, { hint: 'Run `opencode agent list` there to see why: a configuration file may have a mistake.' }));
    }).stdin?.end();
  });
  const agents = parseAgents(output);
  if (agents.length === 0) throw new RelayError('harness_rejected', `OpenCode lists no agent for ${repo}.`, { hint: 'Run `opencode agent list` there.' });
  return agents;
}

/** The first word of each line that is not indented and begins no list of permissions; in 1.18 its mode stands behind it in parentheses. Pure. */
export function parseAgents(output: string): readonly OpencodeAgent[] {
  return stripVTControlCharacters(output).split(/\r?\n/).flatMap((line) => {
    if (line === '' || /^[\s[{\]}]/.test(line)) return [];
    const [name = '', rest = ''] = line.split(/\s+(.*)/);
    const mode = /^\((\w+)\)/.exec(rest)?.[1];
    return [{ name, ...(mode === undefined ? {} : { mode }) }];
  });
}
