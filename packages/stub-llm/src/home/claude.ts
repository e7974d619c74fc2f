import type { HomeFiles, HomeRequest } from './settings.js';

/** Plain environment variables would do the same. */
export function claudeHome({ url, signedIn, account }: HomeRequest): HomeFiles {
  const env = {
    ANTHROPIC_BASE_URL: url,
    ...(signedIn && account === 'key' ? { ANTHROPIC_API_KEY: 'stub' } : {}),
    // Allows --dangerously-skip-permissions for root.
    IS_SANDBOX: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Its default of 10 takes minutes.
    CLAUDE_CODE_MAX_RETRIES: '1',
  };
  return { '.claude/settings.json': { env }, ...(signedIn && account === 'person' ? { '.claude/.credentials.json': subscription() } : {}) };
}

const EIGHT_HOURS = 8 * 3_600_000;

/** It would ask a server that is not the stub for new tokens once these have expired. */
function subscription(): object {
  return {
    claudeAiOauth: {
      accessToken: 'sk-ant-oat01-stub',
      refreshToken: 'sk-ant-ort01-stub',
      expiresAt: Date.now() + EIGHT_HOURS,
      scopes: ['user:inference', 'user:profile'],
      subscriptionType: 'max',
      rateLimitTier: 'default_claude_max_5x',
    },
  };
}
