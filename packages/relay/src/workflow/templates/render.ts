import { cutText } from './cut-text.js';
import { PLACEHOLDER } from './placeholder.js';

/** Puts values into a checked template, once: what a value holds is text, also when it looks like a name. A name that is not known stays as it is. */
export function renderTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(PLACEHOLDER, (whole, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? whole) : whole));
}

/**
 * Renders a text that must not be longer than `limit` (UTF-16 units, which are never fewer than characters). What is too much is taken from the end of one value,
 * `elastic`, so that everything else stays whole; only a template that is itself too long is cut at its end.
 */
export function renderWithin(template: string, values: Readonly<Record<string, string>>, { limit, elastic }: { readonly limit: number; readonly elastic: string }): string {
  const text = renderTemplate(template, values);
  if (text.length <= limit) return text;
  const times = template.split(`{{${elastic}}}`).length - 1;
  const value = values[elastic];
  if (times > 0 && value !== undefined) {
    const room = Math.max(0, value.length - Math.ceil((text.length - limit) / times));
    const shorter = renderTemplate(template, { ...values, [elastic]: cutText(value, room) });
    if (shorter.length <= limit) return shorter;
  }
  return cutText(text, limit);
}
