import { createRequire } from 'node:module';
import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import { requireProgram } from '../executable.js';
import type { HostEnvironment } from '../inherited-environment.js';
import type { Launch, TerminalHarness, TerminalLaunch } from '../port.js';
import { beginningWithWord, DIALOG_TEMPLATES } from '../prompts.js';
import { decodeHarnessConfig, promptSettings, templatesWith } from '../settings.js';
import { AgentLists } from './agents.js';
import { registerPlugin } from './register-plugin.js';

const PROGRAM = 'opencode';
const INSTALL = 'npm install -g opencode-ai';

const settings = z.strictObject({
  /** `provider/model`; absent: what OpenCode is set to. */
  model: z.string().regex(/^[^\s/-][^\s/]*\/\S+$/, 'must be provider/model').optional(),
  ...promptSettings,
});

export interface OpencodeHarnessOptions {
  readonly config: unknown;
  readonly env: HostEnvironment;
  /** The plugin as it is entered in configuration files. Default: `relay-flow-plugin` at the version this package comes with. */
  readonly plugin?: string;
}

/**
 * OpenCode in a terminal of the runner; the plugin `relay-flow-plugin`, which is entered in each repository, delivers its reports.
 *
 * Throws `config_invalid`.
 */
export function createOpencodeHarness({ config, env, plugin = ownPlugin() }: OpencodeHarnessOptions): TerminalHarness {
  const decoded = decodeHarnessConfig({ harness: 'opencode', schema: settings, config });
  const lists = new AgentLists();
  return {
    kind: 'terminal',
    name: 'opencode',
    templates: templatesWith(DIALOG_TEMPLATES, decoded),
    async probe() {
      requireProgram(PROGRAM, env, INSTALL);
    },
    setupRepo: async ({ path }) => await registerPlugin({ repo: path, plugin }),
    async validateAgent({ path, agent }) {
      const agents = await lists.with(agent, { program: requireProgram(PROGRAM, env, INSTALL), repo: path, env });
      const found = agents.find(({ name }) => name === agent);
      const primary = agents.filter(({ mode }) => mode !== 'subagent').map(({ name }) => name).join(', ');
      if (found === undefined) throw new RelayError('harness_rejected', `OpenCode has no agent ${JSON.stringify(agent.slice(0, 120))} for the repository at ${path}.`, { hint: `It has ${primary}.` });
      if (found.mode === 'subagent') throw new RelayError('harness_rejected', `The agent ${agent} of OpenCode is a subagent, which cannot begin a session.`, { hint: `Name one of ${primary}, or give it the mode "primary" or "all".` });
    },
    buildCommand: (launch) => build(decoded.model, launch),
  };
}

/** A session that is resumed loses `--prompt` (upstream issues 14349, 37536, 48113), and what is typed before the terminal stands (seen with 1.18.33), so the plugin sends the prompt. */
function build(model: string | undefined, { agent, sessionId, prompt }: Launch): TerminalLaunch {
  const text = beginningWithWord(prompt);
  const told = ['--agent', agent, ...(model === undefined ? [] : ['--model', model])];
  if (sessionId !== undefined) {
    const [provider, ...rest] = model?.split('/') ?? [];
    const resumed = JSON.stringify({ sessionId, text, agent, ...(model === undefined ? {} : { provider, model: rest.join('/') }) });
    return { file: PROGRAM, args: ['--session', sessionId, ...told], env: { RELAY_FLOW_RESUME_JSON: resumed } };
  }
  return { file: PROGRAM, args: [...told, '--prompt', text], env: {} };
}

function ownPlugin(): string {
  const { name, version } = createRequire(import.meta.url)('relay-flow-plugin/package.json') as { readonly name: string; readonly version: string };
  return `${name}@${version}`;
}
