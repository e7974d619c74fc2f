/** What stands instead of something secret. */
const HIDDEN = '[hidden]';

/** Makes the function that takes secrets out of a text, in whatever case or encoding they came back. */
export function redactor({ email, token }: { readonly email: string; readonly token: string }): (text: string) => string {
  const basic = basicOf({ email, token });
  const words = [basic, token, email].flatMap((word) => [word, encodeURIComponent(word), JSON.stringify(word).slice(1, -1)]);
  const secret = new RegExp([...new Set(words)].filter((word) => word !== '').toSorted((a, b) => b.length - a.length).map(escaped).join('|'), 'gi');
  return (text) => text.replace(secret, HIDDEN);
}

/** The value of the `Authorization` header after `Basic `. */
export function basicOf({ email, token }: { readonly email: string; readonly token: string }): string {
  return Buffer.from(`${email}:${token}`).toString('base64');
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
