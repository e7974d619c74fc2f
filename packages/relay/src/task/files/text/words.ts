import { parse } from 'yaml';

/** A word as YAML, in the style that is there if there is one: plain where it means the same, in double quotes otherwise. */
export function yamlWord(word: string, place: 'value' | 'item', style?: string): string {
  if (style === 'QUOTE_SINGLE' && /^[\x20-\x7e\u00a0-\ud7ff\u{10000}-\u{10ffff}]*$/u.test(word)) return `'${word.replaceAll("'", "''")}'`;
  return style !== 'QUOTE_DOUBLE' && /^\w(?:[\w:/.@+ -]*\w)?$/.test(word) && meansItself(word, place) ? word : JSON.stringify(word);
}

export function yamlList(words: readonly string[]): string {
  return `[${words.map((word) => yamlWord(word, 'item')).join(', ')}]`;
}

/** Words such as `yes`, `1.5` or `a: b` are something else to a YAML reader. */
function meansItself(word: string, place: 'value' | 'item'): boolean {
  // Older readers know more words.
  if (/^(?:y|n|yes|no|on|off)$/i.test(word)) return false;
  try {
    const read: unknown = place === 'item' ? (parse(`[${word}, x]`) as unknown[])[0] : (parse(`k: ${word}`) as { k: unknown }).k;
    return read === word;
  } catch {
    return false;
  }
}
