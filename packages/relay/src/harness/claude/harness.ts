import { homedir } from 'node:os';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import { requireProgram } from '../executable.js';
import type { HostEnvironment } from '../inherited-environment.js';
import type { HeadlessHarness, Launch } from '../port.js';
import { HEADLESS_TEMPLATES } from '../prompts.js';
import { decodeHarnessConfig, limitSettings, limitsOf, promptSettings, templatesWith } from '../settings.js';
import { extraArgsProblem } from './extra-args.js';
import { ClaudeTurnReader } from './reader.js';

const PROGRAM = 'claude';
const INSTALL = 'npm install -g @anthropic-ai/claude-code';

/** Claude Code as it is. */
const BUILT_IN = 'default';
const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const word = z.string().regex(/^[^\s-]\S*$/, 'must be one word that does not begin with a dash');

const settings = z.strictObject({
  /** Absent: what Claude Code is set to. */
  model: word.optional(),
  /** Nobody is there to be asked: with any other than the default, what it may not do is refused to it. */
  permissionMode: z.enum(['acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'manual', 'plan']).default('bypassPermissions'),
  /** Switches added to every call. */
  extraArgs: z.array(z.string()).default([]).superRefine((args, context) => {
    const problem = extraArgsProblem(args);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  }),
  ...promptSettings,
  ...limitSettings,
});

/**
 * Claude Code without a terminal, one call a turn; a node's next turn goes on with its session. The agent `default` is Claude Code itself, any other one a file
 * `.claude/agents/<name>.md` of the repository or the home.
 *
 * Throws `config_invalid`.
 */
export function createClaudeHarness({ config, env, now = Date.now }: { readonly config: unknown; readonly env: HostEnvironment; /** Milliseconds since the epoch. */ readonly now?: () => number }): HeadlessHarness {
  const decoded = decodeHarnessConfig({ harness: 'claude', schema: settings, config });
  return {
    kind: 'headless',
    name: 'claude',
    templates: templatesWith(HEADLESS_TEMPLATES, decoded),
    limits: limitsOf(decoded),
    async probe() {
      requireProgram(PROGRAM, env, INSTALL);
    },
    async setupRepo() {
      // Claude Code needs nothing.
    },
    async validateAgent({ path, agent }) {
      requireProgram(PROGRAM, env, INSTALL);
      if (agent === BUILT_IN) return;
      if (!AGENT_NAME.test(agent)) throw new RelayError('harness_rejected', `No agent can be called ${JSON.stringify(agent.slice(0, 120))}.`, { hint: 'Such a name has letters, digits, dots, dashes and underscores, and begins with a letter or digit.' });
      const files = [join(path, '.claude'), env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? homedir(), '.claude')].map((folder) => join(folder, 'agents', `${agent}.md`));
      if (files.some((file) => existsSync(file))) return;
      throw new RelayError('harness_rejected', `Claude Code has no agent ${agent} for the repository at ${path}.`, { hint: `Make one of ${files.join(', ')}, or name the agent ${BUILT_IN}, which is Claude Code itself.`, evidence: { files } });
    },
    buildTurn(launch) {
      return {
        file: PROGRAM,
        args: argumentsOf(decoded, launch),
        // A new version must not take the place of one that works in the middle of a run.
        env: { DISABLE_AUTOUPDATER: '1', ...forRoot() },
        stdin: inputOf(launch.prompt),
        reader: new ClaudeTurnReader({ cwd: launch.cwd, now }),
      };
    },
  };
}

function argumentsOf({ model, permissionMode, extraArgs }: z.infer<typeof settings>, { agent, sessionId }: Launch): readonly string[] {
  // Only the pieces of messages tell that one was cut and goes on in the next.
  const args = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'];
  if (permissionMode === 'bypassPermissions') args.push('--dangerously-skip-permissions');
  else args.push('--permission-mode', permissionMode);
  if (sessionId !== undefined) args.push('--resume', sessionId);
  if (agent !== BUILT_IN) args.push('--agent', agent);
  if (model !== undefined) args.push('--model', model);
  return [...args, ...extraArgs];
}

/** Root may skip permissions only in what says of itself that it is a sandbox; who runs a server as root has decided that. */
function forRoot(): Readonly<Record<string, string>> {
  return process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {};
}

/** A prompt that begins with the name of one of its commands would be taken for the command; behind a line break it is none. */
function inputOf(prompt: string): string {
  return prompt.startsWith('/') ? `\n${prompt}` : prompt;
}
