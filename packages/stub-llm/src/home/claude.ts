import type { HomeFiles, HomeRequest } from './settings.js';

/** Plain environment variables would do the same. */
export function claudeHome({ url, signedIn }: HomeRequest): HomeFiles {
  const env = {
    ANTHROPIC_BASE_URL: url,
    ...(signedIn ? { ANTHROPIC_API_KEY: 'stub' } : {}),
    // Allows --dangerously-skip-permissions for root.
    IS_SANDBOX: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Its default of 10 takes minutes.
    CLAUDE_CODE_MAX_RETRIES: '1',
  };
  return { '.claude/settings.json': { env } };
}
