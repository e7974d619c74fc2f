import type { Refusal } from '../scenario/scenario.js';
import type { WrittenRefusal } from './api.js';

const CODES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };
const TYPES: Readonly<Record<number, string>> = { 400: 'invalid_request_error', 401: 'invalid_request_error', 403: 'invalid_request_error', 404: 'invalid_request_error', 429: 'rate_limit_error' };

/** A refusal as the OpenAI platform writes it for both of its APIs. */
export function refuseLikeOpenai(refusal: Refusal): WrittenRefusal {
  const { status, message = `stub error ${status}` } = refusal;
  return { body: { error: { message, type: refusal.type ?? TYPES[status] ?? 'server_error', param: null, code: refusal.code ?? CODES[status] ?? null } } };
}
