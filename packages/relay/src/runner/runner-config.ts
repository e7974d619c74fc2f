import type { z } from 'zod';
import { RelayError } from '../errors/relay-error.js';

/** Decodes `runnerConfig` strictly. Throws `config_invalid` with every mistake in it. */
export function decodeRunnerConfig<Schema extends z.ZodType>(args: { readonly runner: string; readonly schema: Schema; readonly config: unknown }): z.infer<Schema> {
  const decoded = args.schema.safeParse(args.config);
  if (decoded.success) return decoded.data;
  const problems = decoded.error.issues.map((issue) => `${['runnerConfig', ...issue.path.map(String)].join('.')}: ${issue.message}`);
  throw new RelayError('config_invalid', `The runnerConfig of the runner ${args.runner} has a mistake: ${problems.join('; ')}.`, {
    hint: 'Correct config.yaml, then start the server again.',
    evidence: { problems },
  });
}
