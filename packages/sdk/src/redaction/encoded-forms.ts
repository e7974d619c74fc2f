/** How a secret may be spelled where it is printed. */
export interface SpelledForm {
  readonly text: string;
  /** Base64 may be broken into lines anywhere, and ends with a character and padding that depend on what follows. */
  readonly base64: boolean;
}

/** The value itself and its spellings in JSON, in JSON inside JSON, in URLs, in shells' traces and in base64, without repetitions. */
export function spelledForms(value: string): SpelledForm[] {
  const json = JSON.stringify(value).slice(1, -1);
  // encodeURI throws on half a surrogate pair.
  const wellFormed = value.replace(/\p{Surrogate}/gu, '\ufffd');
  const uri = encodeURIComponent(wellFormed);
  const strict = uri.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const plain = [
    value,
    value.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n'),
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[<>&]/g, unicodeEscape),
    json.replace(/[^\u0020-\u007e]/g, unicodeEscape),
    JSON.stringify(json).slice(1, -1),
    value.replaceAll("'", "'\\''"),
    uri,
    strict,
    new URLSearchParams([['', wellFormed]]).toString().slice(1),
    encodeURI(wellFormed),
  ];
  const percent = [uri, strict].map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  const forms = new Set([...plain, ...percent]);
  return [
    ...[...forms].map((text) => ({ text, base64: false })),
    ...[...new Set(base64Forms(value))].map((text) => ({ text, base64: true })),
  ];
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The characters of base64 that the value alone determines, for each of the three places its first byte can have in a group. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((offset) => {
    const all = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const core = all.slice(offset === 0 ? 0 : offset + 1, Math.floor((offset + bytes.length) * 8 / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
