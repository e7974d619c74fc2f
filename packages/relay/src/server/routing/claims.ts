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

/** Whether a claim belongs to this server's person; without a person any claim does. */
export function owns(claims: Claims, workflow: string, owner: string | undefined): boolean {
  if (owner === undefined) return true;
  const digests = claims.owners.get(workflow) ?? [];
  return digests.length === 1 && digests[0] === ownerDigest(owner);
}

function ownerDigest(owner: string): string {
  return createHash('sha256').update(owner.trim().toLowerCase()).digest('hex');
}
