import type { Raw } from './raw.js';

/** A file, cut: `head + matter + fence + body` is all of it. */
export interface Parts {
  /** A byte order mark, if there is one, and the line `---`. */
  readonly head: Raw;
  /** YAML, whole lines. */
  readonly matter: Raw;
  /** The line that ends the front matter; at the end of a file it may have no line break. */
  readonly fence: Raw;
  readonly body: Raw;
  /** How lines of this file end: as its first one does. */
  readonly eol: '\n' | '\r\n';
}

/** `undefined` when there is no front matter, or it has no end. */
export function cut(raw: Raw): Parts | undefined {
  const head = /^(?:\xef\xbb\xbf)?---[ \t]*(\r?\n)/.exec(raw);
  if (head === null) return undefined;
  const end = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m;
  const rest = raw.slice(head[0].length);
  const fence = end.exec(rest);
  if (fence === null) return undefined;
  const stop = fence.index + fence[0].length;
  return { head: head[0], matter: rest.slice(0, fence.index), fence: fence[0], body: rest.slice(stop), eol: head[1] === '\r\n' ? '\r\n' : '\n' };
}

export function join({ head, matter, fence, body, eol }: Parts): Raw {
  const open = body !== '' && !fence.endsWith('\n');
  return `${head}${matter}${fence}${open ? eol : ''}${body}`;
}
