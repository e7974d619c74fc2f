import type { Lost } from './exchange.js';

/** No connection came about, so nothing was sent. */
const NEVER_REACHED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NONAME', 'ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'UND_ERR_CONNECT_TIMEOUT']);

/** What Node calls certificates that it does not trust. */
const CERTIFICATE = /CERT|UNABLE_TO_VERIFY|SELF_SIGNED|ISSUER|ERR_TLS/;

/** What it means that `fetch` failed: the reason lies at the end of its causes. */
export function lostConnection(error: unknown): Lost {
  const { code, message } = deepest(error);
  if (CERTIFICATE.test(code)) {
    return { kind: 'lost', reached: false, lasting: true, reason: `its certificate is not trusted (${code})`, hint: 'Where the network puts a certificate of its own in front, name its authority in NODE_EXTRA_CA_CERTS.' };
  }
  return { kind: 'lost', reached: !NEVER_REACHED.has(code), reason: message.includes(code) ? message : `${message} (${code})` };
}

function deepest(error: unknown): { readonly code: string; readonly message: string } {
  let found: unknown = error;
  for (let depth = 0; depth < 5; depth += 1) {
    // Several addresses were tried, and each failed in its own way.
    const next: unknown = found instanceof AggregateError ? found.errors[0] : found instanceof Error ? found.cause : undefined;
    if (!(next instanceof Error)) break;
    found = next;
  }
  const code = found instanceof Error && 'code' in found ? String(found.code) : '';
  const message = found instanceof Error ? found.message : String(found);
  return { code, message: message.trim().replace(/\.$/, '') || 'the connection failed' };
}
