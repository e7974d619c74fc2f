/** How long a line of a flow may be. */
export const LINE_MAX = 120;

/** Plain data as TypeScript source, on one line where it fits and with a member a line where it does not. */
export function literal(value: unknown, indent = '', room = LINE_MAX - 40): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = `${indent}\t`;
  const members = Array.isArray(value)
    ? value.map((member: unknown) => literal(member, deeper, room))
    : Object.entries(value).filter(([, member]) => member !== undefined).map(([name, member]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)}: ${literal(member, deeper, room)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return `${open}${close}`;
  const flat = Array.isArray(value) ? `[${members.join(', ')}]` : `{ ${members.join(', ')} }`;
  if (flat.length + indent.length <= room && !flat.includes('\n')) return flat;
  return `${open}\n${members.map((member) => `${deeper}${member},\n`).join('')}${indent}${close}`;
}

/** Text as a template literal over as many lines as it has, with its backslashes as they are where that can be. */
export function multiline(text: string): string {
  const usual = cooked(text);
  const raw = `String.raw\`${text}\``;
  return /`|\$\{|\\$/.test(text) || usual.length <= raw.length ? usual : raw;
}

function cooked(text: string): string {
  return `\`${text.replaceAll('\\', String.raw`\\`).replaceAll('`', '\\`').replaceAll('${', '\\${')}\``;
}

/** A text in quotes; one that would make a line too long is joined of several. */
function quoted(text: string): string {
  if (text.includes('\n') || text.length > LINE_MAX - 30) return wrapped(text);
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, escaped)}'`;
}

/** Lines of at most 100 characters; a line that had to be broken ends with a backslash, which joins it with the next. */
function wrapped(text: string): string {
  const lines = text.split('\n').map((line) => {
    const pieces: string[] = [];
    let rest = Array.from(line);
    while (rest.length > 100) {
      const blank = rest.lastIndexOf(' ', 100);
      const at = blank > 40 ? blank + 1 : 100;
      pieces.push(rest.slice(0, at).join(''));
      rest = rest.slice(at);
    }
    return [...pieces, rest.join('')].map((piece) => cooked(piece).slice(1, -1).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, escaped)).join('\\\n');
  });
  return `\`${lines.join('\n')}\``;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
