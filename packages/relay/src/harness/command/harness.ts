import { join } from 'node:path';
import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import { isExecutable, isFixed, requireProgram } from '../executable.js';
import type { HostEnvironment } from '../inherited-environment.js';
import type { HeadlessHarness, Launch } from '../port.js';
import { HEADLESS_TEMPLATES } from '../prompts.js';
import { decodeHarnessConfig, limitSettings, limitsOf, promptSettings, templatesWith } from '../settings.js';
import { renderTemplate } from '../../workflow/templates/render.js';
import { checkCommand } from './check-command.js';
import { CommandReader } from './reader.js';

/** Letters, digits and `._-`, beginning with a letter or digit: what may stand in an argument, a path and a file name. */
const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const command = z.array(z.string(), 'must be a list: the program, then its arguments').min(1, 'must name a program');

const settings = z.strictObject({
  /** The program and its arguments, without a shell in between. */
  command: command.optional(),
  /** A command of its own for an agent of this name. */
  agents: z.record(z.string().regex(AGENT_NAME, 'is no name of an agent'), command).default({}),
  ...promptSettings,
  ...limitSettings,
});

/**
 * Any program that reads a prompt from standard input and prints a report: started anew for every turn. It runs in the workspace with the `RELAY_FLOW_*` variables.
 * What it prints last, from the last line that begins with `STATUS:`, is its report; a turn that ends with another status than 0 has none.
 *
 * Throws `config_invalid`.
 */
export function createCommandHarness({ config, env }: { readonly config: unknown; readonly env: HostEnvironment }): HeadlessHarness {
  const decoded = decodeHarnessConfig({ harness: 'command', schema: settings, config });
  const commands = new Map(Object.entries(decoded.agents));
  if (decoded.command === undefined && commands.size === 0) {
    throw new RelayError('config_invalid', 'The harness command needs harnessConfig.command: a list, the program and its arguments.', { hint: 'Name it in config.yaml, for example harnessConfig: {command: [my-agent, --agent, "{{agent}}"]}. The prompt comes on standard input.' });
  }
  if (decoded.command !== undefined) checkCommand(decoded.command, 'The setting harnessConfig.command');
  for (const [agent, own] of commands) checkCommand(own, `The setting harnessConfig.agents.${agent}`);

  const commandOf = (agent: string): readonly [string, ...string[]] => {
    const chosen = commands.get(agent) ?? decoded.command;
    const [file, ...args] = chosen ?? [];
    if (!AGENT_NAME.test(agent)) throw new RelayError('harness_rejected', `No agent can be called ${JSON.stringify(agent.slice(0, 120))}.`, { hint: 'Such a name has letters, digits, dots, dashes and underscores, and begins with a letter or digit.' });
    if (file === undefined) throw new RelayError('harness_rejected', `There is no command for the agent ${agent}.`, { hint: `Add it to harnessConfig.agents, which knows ${[...commands.keys()].join(', ')}, or give harnessConfig.command.` });
    return [file, ...args];
  };

  return {
    kind: 'headless',
    name: 'command',
    templates: templatesWith(HEADLESS_TEMPLATES, decoded),
    limits: limitsOf(decoded),
    async probe() {
      const programs = [decoded.command, ...commands.values()].flatMap((each) => each?.[0] ?? []);
      for (const program of programs.filter(isFixed)) requireProgram(program, env);
    },
    async setupRepo() {
      // A command needs nothing.
    },
    async validateAgent({ path, agent }) {
      const [program] = commandOf(agent);
      if (isFixed(program)) return;
      if (isExecutable(join(path, program))) return;
      throw new RelayError('harness_rejected', `The command of the agent ${agent} is ${program}, which is no executable file of the repository at ${path}.`, { hint: 'Paths are taken from the workspace, so the file must be committed and executable.' });
    },
    buildTurn(launch) {
      const [file, ...args] = commandOf(launch.agent);
      return { file, args: args.map((argument) => renderTemplate(argument, valuesOf(launch))), env: {}, stdin: launch.prompt, reader: new CommandReader() };
    },
  };
}

function valuesOf({ title, agent, cwd }: Launch): Readonly<Record<string, string>> {
  // No node has a colon in its name.
  const at = title.lastIndexOf(':');
  return { agent, title, ticket: title.slice(0, at), node: title.slice(at + 1), workspace: cwd };
}
