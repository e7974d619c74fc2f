import { stubModel, type HomeFiles, type HomeRequest } from './settings.js';

/** A model it does not know is told of in an item of type `error`, which is a warning only. */
export function codexHome({ url, signedIn }: HomeRequest): HomeFiles {
  const config = [
    `model = "${stubModel.id}"`,
    'model_provider = "stub"',
    'check_for_update_on_startup = false',
    '',
    '[analytics]',
    'enabled = false',
    '',
    '[model_providers.stub]',
    'name = "stub"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    // A provider of one's own that needs no key would be one that can be used.
    signedIn ? 'experimental_bearer_token = "stub"' : 'requires_openai_auth = true',
    'request_max_retries = 1',
    'stream_max_retries = 1',
  ];
  return {
    '.codex/config.toml': `${config.join('\n')}\n`,
    // `codex login status` looks nowhere else.
    ...(signedIn ? { '.codex/auth.json': { auth_mode: 'apikey', OPENAI_API_KEY: 'sk-stub-0123456789' } } : {}),
  };
}
