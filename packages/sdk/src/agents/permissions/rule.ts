import type { AgentPermissions } from '../port.js';

/** What an agent may write below its directory. */
export interface WriteRule {
  /** `nothing` also holds for the repository: its branches, HEAD and what is staged. */
  readonly kind: 'nothing' | 'globs';
  /** Whether a file may be created, changed or deleted. The path is relative to the step's directory, with forward slashes. */
  allows(path: string): boolean;
  /** The permission as it stands in the options, for messages. */
  readonly words: string;
}

/**
 * The rule of a step; `undefined` when it may write everything. `accessPreset: 'readonly'` allows nothing, whatever `fileGlobs` says. A path is allowed
 * when one of the `fileGlobs` matches it and none with a `!` before it does; the order does not matter, and an empty list allows nothing.
 */
export async function writeRule(permissions: AgentPermissions | undefined): Promise<WriteRule | undefined> {
  if (permissions?.accessPreset === 'readonly') return { kind: 'nothing', allows: () => false, words: "accessPreset: 'readonly'" };
  const globs = permissions?.fileGlobs;
  if (globs === undefined) return undefined;
  // Loaded only where it is needed: most runs have no globs.
  const { default: picomatch } = await import('picomatch');
  // Dots are nothing special, a `!` is handled here, and `**` crosses a newline in a name like any other character.
  const matcher = (glob: string): ((path: string) => boolean) => picomatch(whole(glob), { dot: true, nonegate: true, windows: false, flags: 's' });
  const given = globs.map(parseGlob);
  const wanted = given.filter(({ excludes }) => !excludes).map(({ glob }) => matcher(glob));
  const excluded = given.filter(({ excludes }) => excludes).map(({ glob }) => matcher(glob));
  return {
    kind: 'globs',
    allows: (path) => wanted.some((matches) => matches(path)) && !excluded.some((matches) => matches(path)),
    words: `fileGlobs: ${globs.length === 0 ? '[]' : globs.join(', ')}`,
  };
}

/** What is wrong with a list of globs, in words that follow "permissions.fileGlobs "; `undefined` when it can be held to. */
export function globProblem(globs: readonly string[]): string | undefined {
  for (const text of globs) {
    const { glob } = parseGlob(text);
    if (glob.trim() === '') return `has ${JSON.stringify(text)}, which names nothing`;
    if (glob.startsWith('/')) return `has ${JSON.stringify(text)}, which is absolute`;
    if (glob.split('/').includes('..')) return `has ${JSON.stringify(text)}, which leads out of the agent's directory`;
  }
  return globs.length > 0 && globs.every((text) => parseGlob(text).excludes) ? 'has only exclusions, so it allows nothing' : undefined;
}

/** `!(a|b)` is a pattern, `!a` an exclusion. */
function parseGlob(text: string): { readonly glob: string; readonly excludes: boolean } {
  const excludes = text.startsWith('!') && !text.startsWith('!(');
  return { glob: (excludes ? text.slice(1) : text).replace(/^(?:\.\/)+/, ''), excludes };
}

/** A folder with a slash at its end is everything in it. */
function whole(glob: string): string {
  return glob.endsWith('/') ? `${glob}**` : glob;
}
