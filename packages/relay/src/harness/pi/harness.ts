import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import { requireProgram } from '../executable.js';
import type { HostEnvironment } from '../inherited-environment.js';
import type { Launch, TerminalHarness, TerminalLaunch } from '../port.js';
import { beginningWithWord, DIALOG_TEMPLATES } from '../prompts.js';
import { decodeHarnessConfig, promptSettings, templatesWith } from '../settings.js';

const PROGRAM = 'pi';
const INSTALL = 'npm install -g @earendil-works/pi-coding-agent';

/** Pi as it is, without a template. */
const BUILT_IN = 'default';

const settings = z.strictObject(promptSettings);

/**
 * Pi in a terminal of the runner; the extension of `relay-flow-plugin`, which the operator installs once (`pi install npm:relay-flow-plugin@<version>`), delivers its
 * reports. An agent is a prompt template `.pi/prompts/<name>.md` of the repository, `default` none.
 *
 * Throws `config_invalid`.
 */
export function createPiHarness({ config, env }: { readonly config: unknown; readonly env: HostEnvironment }): TerminalHarness {
  const decoded = decodeHarnessConfig({ harness: 'pi', schema: settings, config });
  return {
    kind: 'terminal',
    name: 'pi',
    // Its dialog comes by itself, and it has no tool with which the model could ask.
    templates: templatesWith({ ...DIALOG_TEMPLATES, hitl: '' }, decoded),
    async probe() {
      requireProgram(PROGRAM, env, INSTALL);
    },
    async setupRepo() {
      // The extension is installed once for all repositories; named by one of them too, it would load twice.
    },
    async validateAgent({ path, agent }) {
      requireName(agent);
      requireProgram(PROGRAM, env, INSTALL);
      if (agent !== BUILT_IN) await requireArguments(join(path, templateOf(agent)), agent);
    },
    buildCommand: build,
  };
}

/**
 * A template is expanded by the command with its name, which a fresh session alone begins with: in one that goes on, its text would come a second time. There is no `--`
 * before the prompt, so what it begins with decides whether it is one.
 *
 * Seen with 1.6.0: behind the name of a template the prompt is split into arguments as by a shell, so what stands for `$@` has lost its quotes and line breaks; and a
 * template that asks for no arguments drops the prompt. 0.73.1 knows neither `--name` nor `--session-id`.
 */
function build({ title, agent, sessionId, prompt }: Launch): TerminalLaunch {
  const text = beginningWithWord(prompt);
  const template = agent === BUILT_IN || sessionId !== undefined ? undefined : requireName(agent);
  const args = ['--name', title, ...(template === undefined ? [] : ['--prompt-template', templateOf(template)]), ...(sessionId === undefined ? [] : ['--session-id', sessionId])];
  const told = template === undefined ? text : `/${template} ${text}`;
  return { file: PROGRAM, args: [...args, told], env: {} };
}

function templateOf(agent: string): string {
  return `.pi/prompts/${agent}.md`;
}

/** A template that is not there may be in the workspace; one that is there must let its prompt in. */
async function requireArguments(file: string, agent: string): Promise<void> {
  const template = await readFile(file, 'utf8').catch(() => undefined);
  if (template === undefined || /\$(?:@|ARGUMENTS\b|[1-9]|\{@)/.test(template)) return;
  throw new RelayError('harness_rejected', `The template of the agent ${agent} would never let it see its prompt: ${file} does not hold $@.`, { hint: 'Add $@ where the prompt belongs.', evidence: { path: file } });
}

function requireName(agent: string): string {
  const wrong = agent === '' || agent !== agent.trim() || /[\\/\0]/.test(agent) || agent === '.' || agent === '..';
  if (!wrong) return agent;
  throw new RelayError('harness_rejected', `No agent of Pi can be called ${JSON.stringify(agent.slice(0, 120))}.`, { hint: 'It is the name of a file below .pi/prompts without its .md, so it holds no slash and is neither empty nor a dot.' });
}
