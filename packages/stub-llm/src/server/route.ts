import type { ApiName } from '../scenario/scenario.js';

/** What a path asks for. */
export type Route =
  /** An answer. Gemini names the model and the wish for a stream in the path, the others in the body. */
  | { readonly kind: 'gen'; readonly api: ApiName; readonly model?: string; readonly stream?: boolean }
  /** How many tokens a conversation has. */
  | { readonly kind: 'count'; readonly api: ApiName }
  | { readonly kind: 'models' }
  | { readonly kind: 'none' };

const GEMINI_METHOD = /\/models\/([^/:]+):(\w+)$/;

export function routeOf(path: string): Route {
  if (path.endsWith('/messages/count_tokens')) return { kind: 'count', api: 'anthropic' };
  if (path.endsWith('/messages')) return { kind: 'gen', api: 'anthropic' };
  if (path.endsWith('/chat/completions')) return { kind: 'gen', api: 'chat' };
  if (path.endsWith('/responses')) return { kind: 'gen', api: 'responses' };
  const [, model = '', method] = GEMINI_METHOD.exec(path) ?? [];
  if (method === 'countTokens') return { kind: 'count', api: 'gemini' };
  if (method !== undefined) return { kind: 'gen', api: 'gemini', model, stream: method === 'streamGenerateContent' };
  return /\/models(\/[^/]+)?$/.test(path) ? { kind: 'models' } : { kind: 'none' };
}
