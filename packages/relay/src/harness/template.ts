import { RelayError } from '../errors/relay-error.js';
import { PLACEHOLDER } from '../workflow/templates/placeholder.js';

/** The names a template asks for, each once. */
export function namesIn(template: string): readonly string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** Refuses names nobody has a value for: when a setting is read, not when it is used. Throws `config_invalid`. */
export function requireKnownNames(template: string, known: readonly string[], where: string): void {
  const unknown = namesIn(template).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new RelayError('config_invalid', `${where} asks for ${unknown.map((name) => `{{${name}}}`).join(', ')}, which does not exist.`, {
    hint: `These can be used: ${known.map((name) => `{{${name}}}`).join(' ')}. Names are written without blanks.`,
    evidence: { unknown },
  });
}
