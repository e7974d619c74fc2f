import { fileAt, isShallow, type Git } from './git.js';
import { planMove, type CatalogMove } from './move.js';
import { CATALOG_FILE, isPublishedAt, publishedAt } from './published-at.js';
import { successionProblems } from './verify.js';

/** What a catalog should become, with what it is now: its text in the commit that was asked about, if it has one. */
export type Proposal = CatalogMove & { readonly present: string | undefined };

/** Proposes the catalog that serves the newest versions which a commit has. A pin's `ref` is the commit that added its file. Rejects when git fails. */
export async function proposeMove(git: Git, commit: string): Promise<Proposal> {
  const present = (await fileAt(git, commit, CATALOG_FILE))?.toString('utf8');
  // At the border of a shallow clone every file looks as if it had been added there.
  if (await isShallow(git)) return { kind: 'refused', reasons: ['This is a shallow clone, which does not know the commit that added a file. Run git fetch --unshallow first.'], present };
  const published = await publishedAt(git, commit);
  if (!isPublishedAt(published)) return { kind: 'refused', reasons: published, present };
  const move = planMove(published.catalog, published.newest);
  const problems = move.kind === 'move' && published.catalog !== undefined ? successionProblems(published.catalog, move.catalog) : [];
  return problems.length > 0 ? { kind: 'refused', reasons: problems, present } : { ...move, present };
}

/** A move for people: one line for each pin, then what becomes of the catalog. Pure. */
export function moveText(move: CatalogMove): string {
  switch (move.kind) {
    case 'refused':
      return ['The catalog cannot be moved:', ...move.reasons.map((reason) => `  ${reason}`)].join('\n');
    case 'current':
      return `The catalog serves the newest versions (catalogVersion ${move.catalogVersion}).`;
    case 'move':
      return [
        ...move.moves.map(({ id, from, to }) => `${id}: ${from === undefined ? `version ${to}, served for the first time` : `version ${from} to ${to}`}`),
        ...move.catalog.flows.filter(({ id }) => move.moves.some((moved) => moved.id === id)).map(({ source }) => `  ${source.path}\n  release ${source.release}\n  ref ${source.ref}\n  sha256 ${source.sha256}`),
        `catalogVersion ${move.catalog.catalogVersion - 1} to ${move.catalog.catalogVersion}`,
      ].join('\n');
  }
}
