import { createHash } from 'node:crypto';
import type { StepKind } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';

/**
 * What makes a step the same step when the body runs again: its kind, its name, its redacted options and its gate.
 * 32 hexadecimal digits of a sha256.
 */
export function fingerprint(step: { readonly kind: StepKind; readonly label?: string | undefined; readonly request?: JsonValue | undefined; readonly gate?: JsonValue | undefined }): string {
  // The separator cannot occur inside JSON text or a kind, so no two different steps are written alike.
  const text = `${step.kind}\0${step.label ?? ''}\0${canonical(step.request)}\0${canonical(step.gate)}`;
  return digests.get(text) ?? remember(text, createHash('sha256').update(text).digest('hex').slice(0, 32));
}

/** Steps without options are all alike, and a loop repeats its steps: hashing them again took a third of a replay. Long texts are not worth keeping. */
const digests = new Map<string, string>();
const REMEMBERED = 256;
const REMEMBERED_LENGTH = 256;

function remember(text: string, digest: string): string {
  if (text.length <= REMEMBERED_LENGTH) {
    if (digests.size === REMEMBERED) digests.clear();
    digests.set(text, digest);
  }
  return digest;
}

/** JSON with sorted keys: the order in which an author writes options is not part of a step. */
function canonical(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = value as { readonly [key: string]: JsonValue | undefined };
  const parts: string[] = [];
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member !== undefined) parts.push(`${JSON.stringify(key)}:${canonical(member)}`);
  }
  return `{${parts.join(',')}}`;
}
