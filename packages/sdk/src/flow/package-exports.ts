/** The `exports` or `imports` member of a package.json, or a part of it. */
export type ExportsTarget = string | null | readonly ExportsTarget[] | { readonly [key: string]: ExportsTarget };

/**
 * The conditions under which Node imports a module, by its own rules. `module-sync` exists where `require()` loads ES modules.
 */
export const IMPORT_CONDITIONS: ReadonlySet<string> = new Set([
  'node', 'import', 'node-addons', 'default',
  ...((process.features as { require_module?: boolean }).require_module === true ? ['module-sync'] : []),
]);

/**
 * What a package exports under a subpath (`.` or `./x`): a path relative to the package that begins with `./`, or `undefined` when it exports no such thing.
 * Follows the algorithm in Node's documentation (PACKAGE_EXPORTS_RESOLVE).
 */
export function resolveExports(exports: ExportsTarget, subpath: string): string | undefined {
  if (!isSubpathMap(exports)) return subpath === '.' ? resolveTarget(exports, undefined) : undefined;
  const exact = exports[subpath];
  if (exact !== undefined && Object.hasOwn(exports, subpath) && !subpath.includes('*') && !subpath.endsWith('/')) return resolveTarget(exact, undefined);
  for (const [pattern, target] of patternsBySpecificity(exports)) {
    const star = pattern.indexOf('*');
    const head = pattern.slice(0, star);
    const tail = pattern.slice(star + 1);
    if (subpath.startsWith(head) && subpath !== head && subpath.endsWith(tail) && subpath.length >= pattern.length) {
      return resolveTarget(target, subpath.slice(star, subpath.length - tail.length));
    }
  }
  return undefined;
}

function isSubpathMap(exports: ExportsTarget): exports is { readonly [key: string]: ExportsTarget } {
  return typeof exports === 'object' && exports !== null && !Array.isArray(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
}

/** Longest text before the star first, then longest key. */
function patternsBySpecificity(exports: { readonly [key: string]: ExportsTarget }): readonly (readonly [string, ExportsTarget])[] {
  return Object.entries(exports)
    .filter(([key]) => key.split('*').length === 2)
    .sort(([a], [b]) => b.indexOf('*') - a.indexOf('*') || b.length - a.length);
}

const FORBIDDEN_SEGMENT = /(?:^|[\\/])(?:\.\.?|node_modules)(?:[\\/]|$)/i;

/** `null` in a package.json forbids; it ends the search where a condition that does not apply goes on to the next one. */
function resolveTarget(target: ExportsTarget, star: string | undefined): string | undefined {
  const found = selectTarget(target, star);
  return found === null ? undefined : found;
}

function selectTarget(target: ExportsTarget, star: string | undefined): string | null | undefined {
  if (target === null) return null;
  if (typeof target === 'string') {
    if (!target.startsWith('./') || FORBIDDEN_SEGMENT.test(target.slice(2)) || (star !== undefined && FORBIDDEN_SEGMENT.test(star))) return undefined;
    return star === undefined ? target : target.replaceAll('*', () => star);
  }
  if (Array.isArray(target)) {
    let last: null | undefined;
    for (const item of target as readonly ExportsTarget[]) {
      const found = selectTarget(item, star);
      if (typeof found === 'string') return found;
      last = found;
    }
    return last;
  }
  for (const [condition, value] of Object.entries(target)) {
    if (!IMPORT_CONDITIONS.has(condition)) continue;
    const found = selectTarget(value, star);
    if (found !== undefined) return found;
  }
  return undefined;
}
