import type { JsonValue } from '../ports/json.js';
import type { RedactionStream, Redactor } from '../ports/redactor.js';
import { KnownValues } from './known-values.js';
import { isPlaceholder, placeholder } from './placeholder.js';
import { anchorIndex, RedactionScan } from './redaction-scan.js';
import { memberWeight } from './secret-names.js';
import { isSecretMember } from './secret-values.js';

export interface RedactorOptions {
  /** The values of its secret variables, of at least 8 characters, are removed wherever they appear, also encoded. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The redactor of a runtime: knows the secrets of an environment and the forms that secrets have.
 *
 * A text costs one look at every second character as long as nothing in it could belong to a secret, and time in proportion to its length otherwise.
 */
export function createRedactor({ env }: RedactorOptions): Redactor {
  const values = new KnownValues(env);

  const text = (value: string): string => {
    const anchor = anchorIndex.first(value, 0);
    const known = values.next(value, 0);
    if (anchor === -1 && known === -1) return value;
    const { length } = value;
    return new RedactionScan(values).whole(value, anchor === -1 ? length : anchor, known === -1 ? length : known);
  };

  const member = (key: string, value: JsonValue | undefined): JsonValue | undefined => {
    if (typeof value !== 'string') return value === undefined ? undefined : json(value);
    const redacted = text(value);
    return isSecretMember(memberWeight(key), value) && !isPlaceholder(redacted) ? placeholder('secret') : redacted;
  };

  const json = <T extends JsonValue>(value: T): T => {
    if (typeof value === 'string') return text(value) as T;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map((item: JsonValue) => json(item));
      return items.every((item, index) => item === value[index]) ? value : items as unknown as T;
    }
    const entries = Object.entries(value).map(([key, old]) => [key, member(key, old)] as const);
    if (entries.every(([key, redacted]) => redacted === (value as Record<string, unknown>)[key])) return value;
    return Object.fromEntries(entries) as T;
  };

  const stream = (): RedactionStream => {
    const scan = new RedactionScan(values);
    return { push: (piece) => scan.push(piece), end: () => scan.end() };
  };

  return { text, json, stream };
}
