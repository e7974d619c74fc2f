import { z } from 'zod';
import { RelayError } from '../errors/relay-error.js';
import type { HeadlessLimits, PromptTemplates } from './port.js';
import { PROMPT_NAMES } from './prompts.js';
import { requireKnownNames } from './template.js';

/** Decodes `harnessConfig` strictly. Throws `config_invalid` with every mistake in it. */
export function decodeHarnessConfig<Schema extends z.ZodType>(args: { readonly harness: string; readonly schema: Schema; readonly config: unknown }): z.infer<Schema> {
  const decoded = args.schema.safeParse(args.config);
  if (decoded.success) return decoded.data;
  const problems = decoded.error.issues.map((issue) => `${['harnessConfig', ...issue.path.map(String)].join('.')}: ${issue.message}`);
  throw new RelayError('config_invalid', `The harnessConfig of the harness ${args.harness} has a mistake: ${problems.join('; ')}.`, {
    hint: 'Correct config.yaml, then start the server again.',
    evidence: { problems },
  });
}

const template = z.string().trim().min(1, 'must not be empty');

/** The settings every harness has. */
export const promptSettings = {
  initial: template.optional(),
  feedback: template.optional(),
  /** Empty: nothing is said. */
  hitl: z.string().optional(),
};

/** Node's timers take a little more. */
const MOST_MINUTES = 30_000;

/** The settings every headless harness has. */
export const limitSettings = {
  maxProcesses: z.number().int('must be a whole number').min(1).max(1_000).default(4),
  timeoutMinutes: z.number().min(0).max(MOST_MINUTES).default(120),
};

/** The templates with what config.yaml says. Throws `config_invalid` for a variable that no prompt has. */
export function templatesWith(defaults: PromptTemplates, given: { readonly [Name in keyof PromptTemplates]?: string | undefined }): PromptTemplates {
  for (const name of ['initial', 'feedback', 'hitl'] as const) requireKnownNames(given[name] ?? '', PROMPT_NAMES, `The setting harnessConfig.${name}`);
  return { initial: given.initial ?? defaults.initial, feedback: given.feedback ?? defaults.feedback, hitl: given.hitl ?? defaults.hitl };
}

export function limitsOf({ maxProcesses, timeoutMinutes }: HeadlessLimits): HeadlessLimits {
  return { maxProcesses, timeoutMinutes };
}
