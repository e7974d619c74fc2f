import type { HomeFiles, HomeRequest } from './settings.js';

/** Where nobody is signed in no way to do it is chosen either; the address of the stub alone then changes nothing. */
export function geminiHome({ url, signedIn }: HomeRequest): HomeFiles {
  return {
    '.gemini/settings.json': {
      security: { ...(signedIn ? { auth: { selectedType: 'gemini-api-key' } } : {}), folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 2 },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    },
    '.gemini/.env': [...(signedIn ? ['GEMINI_API_KEY=stub'] : []), `GOOGLE_GEMINI_BASE_URL=${url}`, ''].join('\n'),
  };
}
