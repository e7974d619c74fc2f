import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseRecord, recordOf, textOf } from '../../driver/record.js';
import { settingsFor, userFolder, type HostEnv } from './settings.js';
import { variablesFor, type Variables } from './variables.js';

/*
 * How the Gemini CLI is signed in, as far as files and variables show it. It has no command that tells, and the only certain way to know is a request.
 * So the answer "not at all" is given only where the CLI itself would end the turn before its first request; a key or an account that might lie in the
 * system's key store counts as there. No secret is looked at: what is asked of one is whether it is blank.
 */

export type SignIn = { readonly known: true; readonly account: string } | { readonly known: false; readonly why: string } | 'unclear';

export async function signInFor(place: { readonly cwd: string; readonly env: HostEnv }): Promise<SignIn> {
  const [settings, variables] = await Promise.all([settingsFor(place), variablesFor(place)]);
  const chosen = settings.map((file) => textOf(recordOf(recordOf(file?.['security'])['auth'])['selectedType'])).findLast((type) => type !== undefined);
  const type = chosen ?? methodIn(variables);
  if (type === undefined) {
    if (settings.includes(undefined)) return 'unclear';
    return { known: false, why: 'no settings file chooses a way to sign in, and no variable holds a key' };
  }
  if (type === 'vertex-ai' && !variables.has('GOOGLE_API_KEY') && !(variables.has('GOOGLE_CLOUD_PROJECT') && variables.has('GOOGLE_CLOUD_LOCATION'))) {
    return { known: false, why: 'Vertex AI is chosen, and neither GOOGLE_API_KEY nor GOOGLE_CLOUD_PROJECT with GOOGLE_CLOUD_LOCATION is set' };
  }
  const email = type === 'oauth-personal' ? await activeAccount(place.env) : undefined;
  return { known: true, account: email ?? type };
}

/** The way to sign in that variables alone choose. A base URL without a key chooses one too, which the CLI then refuses. */
function methodIn(variables: Variables): string | undefined {
  if (variables.isTrue('GOOGLE_GENAI_USE_GCA')) return 'oauth-personal';
  if (variables.isTrue('GOOGLE_GENAI_USE_VERTEXAI')) return 'vertex-ai';
  if (variables.has('GEMINI_API_KEY')) return 'gemini-api-key';
  if (variables.isTrue('CLOUD_SHELL') || variables.isTrue('GEMINI_CLI_USE_COMPUTE_ADC')) return 'compute-default-credentials';
  return undefined;
}

/** The address of the Google account in use. */
async function activeAccount(env: HostEnv): Promise<string | undefined> {
  const accounts = await readFile(path.join(userFolder(env), 'google_accounts.json'), 'utf8').catch(() => '');
  return textOf(parseRecord(accounts.trim().replaceAll('\n', ' '))?.['active']);
}
