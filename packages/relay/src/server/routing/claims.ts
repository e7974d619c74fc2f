import { createHash } from 'node:crypto';

const CLAIM = 'wf:';
const OWNER = 'wf-owner:';

/** What the labels of a ticket say about who walks it. */
export interface Claims {
  /** Names of workflows, each once, sorted. */
  readonly workflows: readonly string[];
  /** Digests of owners by workflow. */
  readonly owners: ReadonlyMap<string, readonly string[]>;
}

export function claimsOf(labels: readonly string[]): Claims {
  const workflows = new Set<string>();
  const owners = new Map<string, string[]>();
  for (const label of labels) {
    if (label.startsWith(CLAIM)) workflows.add(label.slice(CLAIM.length));
    const owner = new RegExp(`^${OWNER}([^:]+):([0-9a-f]{64})$`).exec(label);
    if (owner?.[1] !== undefined && owner[2] !== undefined) owners.set(owner[1], [...(owners.get(owner[1]) ?? []), owner[2]]);
  }
  return { workflows: [...workflows].toSorted(), owners };
}

/** The labels that claim a ticket, in the order in which they are added: who first, then what. */
export function claimLabels(workflow: string, owner: string | undefined): readonly string[] {
  return [...(owner === undefined ? [] : [`${OWNER}${workflow}:${ownerDigest(owner)}`]), `${CLAIM}${workflow}`];
}

/** Who asks whether a claim is theirs. */
export interface Claimant {
  /** Absent: anybody's claim is theirs. */
  readonly owner?: string | undefined;
  /** A claim that names nobody is theirs too. */
  readonly anonymousClaims?: 'ours' | undefined;
}

/** Whose claim it is. `nobody`: it names none. `several`: servers for different owners claimed at the same moment, so none may go on. */
export type Ownership = 'ours' | 'nobody' | 'others' | 'several';

export function ownershipOf(claims: Claims, workflow: string, { owner, anonymousClaims }: Claimant): Ownership {
  const digests = claims.owners.get(workflow) ?? [];
  if (owner === undefined || (digests.length === 0 && anonymousClaims === 'ours')) return 'ours';
  if (digests.length !== 1) return digests.length === 0 ? 'nobody' : 'several';
  return digests[0] === ownerDigest(owner) ? 'ours' : 'others';
}

export function owns(claims: Claims, workflow: string, claimant: Claimant): boolean {
  return ownershipOf(claims, workflow, claimant) === 'ours';
}

function ownerDigest(owner: string): string {
  return createHash('sha256').update(owner.trim().toLowerCase()).digest('hex');
}
