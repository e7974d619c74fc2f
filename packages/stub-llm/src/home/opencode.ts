import { stubModel, type HomeFiles, type HomeRequest } from './settings.js';

/** How often it repeats a refused request cannot be set. */
export function opencodeHome({ url, signedIn }: HomeRequest): HomeFiles {
  const { id, contextTokens, outputTokens, price } = stubModel;
  const model = {
    name: 'Stub',
    limit: { context: contextTokens, output: outputTokens },
    cost: { input: price.input, output: price.output, cache_read: price.cacheRead, cache_write: price.cacheWrite },
  };
  const provider = { npm: '@ai-sdk/openai-compatible', name: 'Stub', options: { baseURL: `${url}/v1` }, models: { [id]: model } };
  return {
    '.config/opencode/opencode.json': {
      autoupdate: false,
      share: 'disabled',
      permission: 'allow',
      model: `stub/${id}`,
      small_model: `stub/${id}`,
      enabled_providers: ['stub'],
      // A provider of one's own that it knows is one that it can use, with or without credentials.
      provider: signedIn ? { stub: provider } : {},
    },
    // `opencode auth list` then shows one credential.
    ...(signedIn ? { '.local/share/opencode/auth.json': { stub: { type: 'api', key: 'stub' } } } : {}),
  };
}
