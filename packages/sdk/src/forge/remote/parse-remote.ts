/** Where a remote of a repository lies. */
export type Remote =
  | {
      readonly kind: 'hosted';
      readonly scheme: 'https' | 'http' | 'ssh' | 'git';
      /** Lower case, without brackets, user or port. */
      readonly host: string;
      /** Absent: the usual one of the scheme. */
      readonly port?: number;
      /** `owner/name` without slashes around it and without `.git`; percent signs of a URL are decoded. */
      readonly path: string;
    }
  | { readonly kind: 'local'; readonly path: string };

/** `user@`, then the host or an address in brackets, then the port. The user may hold an `@`. */
const AUTHORITY = /^(?:.*@)?(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/;
const SCHEMES = { 'https': 'https', 'http': 'http', 'ssh': 'ssh', 'git+ssh': 'ssh', 'ssh+git': 'ssh', 'git': 'git' } as const;
const USUAL_PORTS = { https: 443, http: 80, ssh: 22, git: 9418 } as const;

/**
 * Reads the address of a remote as git does: a URL, `[user@]host:path`, or a path of this machine. `undefined` when it is none of them
 * (empty, a remote helper, a scheme that git does not know).
 */
export function parseRemote(address: string): Remote | undefined {
  const text = address.trim();
  const url = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(text);
  if (url !== null) return fromUrl(url[1]?.toLowerCase() ?? '', url[2] ?? '', url[3] ?? '');
  if (text === '' || /^[a-z0-9]+::/i.test(text)) return undefined;
  const scp = /^((?:[^/\\:[\]]*@)?(?:\[[^\]]*\]|[^/\\:[\]]+)):(?!\\)(.*)$/s.exec(text);
  if (scp === null) return { kind: 'local', path: text };
  // `[host:port]:path` is the one way to write a port in this form.
  const place = (scp[1] ?? '').replace(/^((?:.*@)?)\[([^\]:]+(?::\d+)?)\]$/, '$1$2').replace(/^\[((?:[^\]@]*@)?[^\]:]+(?::\d+)?)\]$/, '$1');
  return hosted('ssh', place, scp[2] ?? '');
}

function fromUrl(scheme: string, authority: string, rest: string): Remote | undefined {
  if (scheme === 'file') return { kind: 'local', path: decoded(rest) };
  return Object.hasOwn(SCHEMES, scheme) ? hosted(SCHEMES[scheme as keyof typeof SCHEMES], authority, decoded(rest.replace(/[?#].*$/s, ''))) : undefined;
}

function hosted(scheme: keyof typeof USUAL_PORTS, authority: string, rest: string): Remote | undefined {
  const [, place = '', digits = ''] = AUTHORITY.exec(authority) ?? [];
  const host = place.replace(/^\[|\]$/g, '').toLowerCase().replace(/\.$/, '');
  const path = rest.split('/').filter((part) => part !== '').join('/').replace(/\.git$/i, '').trim();
  if (host === '' || path === '') return undefined;
  const port = Number(digits);
  return { kind: 'hosted', scheme, host, path, ...(digits === '' || port === USUAL_PORTS[scheme] ? {} : { port }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
