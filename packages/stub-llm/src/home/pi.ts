import { stubModel, type HomeFiles, type HomeRequest } from './settings.js';

export function piHome({ url, signedIn }: HomeRequest): HomeFiles {
  const { id, contextTokens, outputTokens, price } = stubModel;
  // A provider of one's own needs a key: without one pi knows no provider at all, as where nobody is signed in.
  const provider = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'stub', models: [{ id, contextWindow: contextTokens, maxTokens: outputTokens, cost: price }] };
  return {
    '.pi/agent/models.json': { providers: signedIn ? { stub: provider } : {} },
    '.pi/agent/settings.json': {
      defaultProvider: 'stub',
      defaultModel: id,
      enableInstallTelemetry: false,
      retry: { enabled: true, maxRetries: 1, baseDelayMs: 200 },
    },
  };
}
