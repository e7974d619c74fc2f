import { changesOf, type TreeChange } from '../directory/tree-changes.js';
import { shownName, type TreeRequest } from '../directory/tree-snapshot.js';
import { findWorkTree, type SnapshotPlace } from '../directory/work-tree.js';
import type { Attribution } from './attribution.js';
import { keepEvidence } from './evidence.js';
import type { Held } from './held.js';
import { restoreRepository, type RepositoryFinding } from './repository-restore.js';
import { headCommit, type RepositoryState } from './repository-state.js';
import { restoreFiles } from './restore-files.js';
import type { WriteRule } from './rule.js';
import { stageAgain } from './stage-again.js';

export interface VerifyRequest {
  readonly held: Held;
  readonly rule: WriteRule;
  readonly attribution: Attribution;
  readonly place: SnapshotPlace;
  readonly look: TreeRequest;
  /** Where forbidden content is kept: below this ref in a repository, below this folder elsewhere. */
  readonly ref: string;
  readonly folder: string;
}

/** What a turn did against the permissions of its step. */
export interface Finding {
  /** `created a.txt`, `changed .git/config (core.hooksPath)`, `moved refs/heads/main from … to …`; sorted. */
  readonly forbidden: readonly string[];
  /** Refs and folders that hold what was there. */
  readonly keptIn: readonly string[];
  /** What could not be put back, and why. */
  readonly left: readonly string[];
  /** Changes that may be somebody else's, and so were left, with why they may be. */
  readonly unattributed: readonly string[];
}

/**
 * Compares a directory with what was held of it, by content, whatever the CLI says it did. Forbidden changes that can only be the agent's are put back
 * after their content was kept; everything else stays as it is.
 */
export async function verifyHeld(request: VerifyRequest): Promise<Finding> {
  const { held, attribution, place } = request;
  const repositoryIsOurs = attribution.notRepository === undefined;
  // Settings of the repository first: they decide what git says of everything else.
  const repository = held.repository === undefined
    ? await newRepository(request)
    : await restoreRepository({ place, before: held.repository, folder: request.folder, ref: request.ref, putBack: repositoryIsOurs });
  const { ours, theirs } = await forbiddenFiles(request);
  const restored = await putBack(request, ours);
  const repositoryTexts = repository.changes.map(({ text }) => text);
  return {
    forbidden: [...ours.map(describe).sort(), ...(repositoryIsOurs ? repositoryTexts : [])],
    keptIn: [...restored.keptIn, ...repository.keptIn],
    left: [...restored.left, ...repository.left],
    unattributed: [...theirs.sort(), ...(repositoryIsOurs ? [] : repositoryTexts.map((text) => `${text} (${attribution.notRepository ?? ''})`))],
  };
}

/** A repository that was not there before is seen, and left: what it holds is not known. */
async function newRepository({ rule, place }: VerifyRequest): Promise<Pick<RepositoryFinding, 'keptIn' | 'left'> & { readonly changes: readonly { readonly text: string }[] }> {
  const found = rule.kind === 'nothing' ? await findWorkTree(place) : undefined;
  if (found === undefined) return { changes: [], keptIn: [], left: [] };
  return { changes: [{ text: `created a git repository in ${found.top}` }], keptIn: [], left: [`the git repository in ${found.top} is still there`] };
}

async function forbiddenFiles({ held, look, rule, attribution }: VerifyRequest): Promise<{ readonly ours: TreeChange[]; readonly theirs: string[] }> {
  const ours: TreeChange[] = [];
  const theirs: string[] = [];
  for (const change of await changesOf(held.tree, look)) {
    const shown = shownName(change.name);
    if (rule.allows(shown)) continue;
    const why = attribution.none ?? attribution.except.find(({ prefix }) => shown.startsWith(prefix))?.why;
    if (why === undefined) ours.push(change);
    else theirs.push(`${describe(change)} (${why})`);
  }
  return { ours, theirs };
}

async function putBack(request: VerifyRequest, changes: readonly TreeChange[]): Promise<{ readonly keptIn: readonly string[]; readonly left: readonly string[] }> {
  if (changes.length === 0) return { keptIn: [], left: [] };
  const { held, look, place } = request;
  const { keptIn, unkept } = await keepEvidence({ place, changes, ref: `${request.ref}/files`, folder: request.folder });
  const problems = new Map([...unkept, ...(await restoreFiles({ held, look, changes: changes.filter(({ name }) => !unkept.has(name)) }))]);
  // What was put back is believed only when it is seen.
  const names = new Set(changes.map(({ name }) => name));
  for (const { name } of await changesOf(held.tree, look)) {
    if (names.has(name) && !problems.has(name)) problems.set(name, 'it was written again meanwhile');
  }
  const left = [...problems].map(([name, why]) => `${shownName(name)}: ${why}`);
  if (request.rule.kind === 'globs' && held.repository !== undefined) left.push(...(await leftInRepository(request, held.repository, changes)));
  return { keptIn: keptIn === undefined ? [] : [keptIn], left };
}

/** Forbidden files may also be staged, which is taken back, or committed, which is not. */
async function leftInRepository(request: VerifyRequest, before: RepositoryState, changes: readonly TreeChange[]): Promise<string[]> {
  const { place } = request;
  const now = await headCommit({ top: before.top, hostEnv: place.hostEnv });
  const shown = (commit: string): string => (commit === '' ? 'unborn' : commit);
  if (before.headCommit !== now) return [`HEAD is ${shown(now)} and was ${shown(before.headCommit)}: what was committed of these files is still in its history`];
  return await stageAgain({ place, before, names: changes.map(({ name }) => name) });
}

function describe({ name, how }: TreeChange): string {
  return how === 'mode' ? `changed the mode of ${shownName(name)}` : `${how} ${shownName(name)}`;
}
