import type { Finding, Rule } from '../finding.js';
import { holdsPlaceholder } from '../placeholder.js';
import { isReference } from '../secret-values.js';
import type { TextWindow } from '../text-window.js';

const USER = /[A-Za-z0-9._~%!$&*+,;=-]{0,256}/y;
/** The longest credential that is looked for. */
const REST = /[^\s"'`<>\\]{0,2048}/y;

/** `scheme://user:secret@host`, and a token that takes the place of the user. The scheme, the user and the host stay. */
export const urlCredentials: Rule = {
  anchors: ['://'],
  inspect(window: TextWindow, at: number): Finding | undefined {
    const userStart = at + 3;
    window.holdFrom = userStart;
    const userEnd = window.skip(USER, userStart);
    const next = window.at(userEnd);
    if (next === '@') {
      const user = window.text.slice(userStart, userEnd);
      return user.length >= 20 && /\d/.test(user) && !isReference(user) ? { start: userStart, label: 'url-credential', certainTo: userEnd } : undefined;
    }
    if (next !== ':') return undefined;
    const start = userEnd + 1;
    window.holdFrom = start;
    if (window.at(start) === '/' && window.at(start + 1) === '/') return undefined;
    const rest = window.take(REST, start);
    // A port.
    if (/^\d{1,5}(?:[/?#,;)\]}.]|$)/.test(rest)) return undefined;
    const length = secretLength(rest);
    const secret = rest.slice(0, length);
    if (length === 0 || holdsPlaceholder(secret) || isReference(secret)) return undefined;
    return { start, label: 'url-credential', certainTo: start + length };
  },
};

/** Up to the last `@` of the authority; a password that holds an unescaped `/` reaches further. */
function secretLength(rest: string): number {
  const slash = /[/?#]/.exec(rest)?.index ?? rest.length;
  const inAuthority = rest.lastIndexOf('@', slash - 1);
  return slash > 0 && inAuthority > 0 ? inAuthority : Math.max(0, rest.indexOf('@', slash));
}
