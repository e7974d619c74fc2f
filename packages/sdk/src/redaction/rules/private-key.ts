import type { Finding, Rest, RestStep, Rule } from '../finding.js';
import type { TextWindow } from '../text-window.js';

const BEGIN = '-----BEGIN ';
const HEADER = /-----BEGIN [A-Z0-9 ]{0,48}-{0,5}/y;
const COMPLETE_HEADER = /^-----BEGIN (?:[A-Z0-9 ]{0,36} )?PRIVATE KEY(?: BLOCK)?-----$/;
/** What can stand between the markers: base64, line ends as such or escaped, quotes of a program's text, prefixes of quoted lines, PEM headers. */
const BODY = /[A-Za-z0-9+/=\s\\"'`,:;>|*#._-]{0,1024}/y;
const FOOTER = /-----END [A-Z0-9 ]{0,48}-----/;
/** What a key of less than a line has: a line end behind the header, as such or escaped, and nothing but base64 and line ends. */
const SHORT_BODY = /^[ \t]*(?:\r?\n|\\+[rn])[A-Za-z0-9+/=\s\\]*$/;
const LONG_RUN = /[A-Za-z0-9+/=]{40}/;

/** A private key in PEM, also when its line ends are escaped, and as far as it goes when it is cut. */
export const privateKey: Rule = {
  anchors: ['-----begin '],
  mayBegin: (text, start) => BEGIN.startsWith(text.slice(start)),
  inspect(window: TextWindow, at: number): Finding | undefined {
    if (!window.text.startsWith(BEGIN, at)) return undefined;
    window.holdFrom = at;
    const header = window.take(HEADER, at);
    if (!COMPLETE_HEADER.test(header)) return undefined;
    const bodyStart = at + header.length;
    const body = window.take(BODY, bodyStart);
    const run = LONG_RUN.exec(body);
    const footer = FOOTER.exec(body);
    if (run !== null && (footer === null || run.index < footer.index)) {
      window.sawEnd = false;
      return { start: at, label: 'private-key', certainTo: bodyStart + run.index + run[0].length, rest: new RestOfKey() };
    }
    if (footer !== null && SHORT_BODY.test(body.slice(0, footer.index))) {
      window.sawEnd = false;
      return { start: at, label: 'private-key', certainTo: bodyStart + footer.index + footer[0].length };
    }
    // Cut before its first line was complete.
    if (window.final && SHORT_BODY.test(body) && /[A-Za-z0-9+/]{16}/.test(body) && bodyStart + body.length === window.text.length) {
      return { start: at, label: 'private-key', certainTo: window.text.length };
    }
    return undefined;
  },
};

/** Shorter runs of base64 are the last line of a key, or no longer part of it. */
const SHORTEST_LINE = 16;

/**
 * The lines of a key from within one on. The key ends behind its END marker, or, when that is missing, at the first character that no key
 * has, or where something follows a short line.
 */
class RestOfKey implements Rest {
  #phase: 'lines' | 'footer' = 'lines';
  /** Length of the run of base64 that is being read. */
  #run = SHORTEST_LINE;
  #sawShortLine = false;
  #dashes = 0;
  #escaped = false;

  advance(text: string, from: number, final: boolean): RestStep {
    for (let at = from; at < text.length; at += 1) {
      const char = text.charAt(at);
      if (this.#phase === 'footer') {
        if (char === '-') {
          this.#dashes += 1;
          if (this.#dashes === 5) return { ended: true, at: at + 1 };
        } else if (this.#dashes > 0 || !/[A-Z0-9 ]/.test(char)) {
          return { ended: true, at };
        }
      } else if (!this.#takesLine(char)) {
        return { ended: true, at };
      }
    }
    return { ended: final, at: text.length };
  }

  #takesLine(char: string): boolean {
    const lineEndLetter = this.#escaped && (char === 'n' || char === 'r');
    this.#escaped = char === '\\';
    // A plus between lines joins the texts of a program, or marks the lines of a patch.
    if ((this.#run === 0 ? /[A-Za-z0-9]/ : /[A-Za-z0-9+/=]/).test(char) && !lineEndLetter) {
      if (this.#run === 0) {
        if (this.#dashes >= 5 && char === 'E') {
          this.#phase = 'footer';
          this.#dashes = 0;
          return true;
        }
        if (this.#sawShortLine) return false;
      }
      this.#run += 1;
      this.#dashes = 0;
      return true;
    }
    if (this.#run > 0 && this.#run < SHORTEST_LINE) this.#sawShortLine = true;
    this.#run = 0;
    this.#dashes = char === '-' ? this.#dashes + 1 : 0;
    return lineEndLetter || /[\s\\"'`,;>|*#+/=-]/.test(char);
  }
}
