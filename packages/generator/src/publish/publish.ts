import { mkdir } from 'node:fs/promises';
import { applySteps, type Reached } from './apply.js';
import { claimFolder, isClaim, type Claimed, type Owner, type Processes } from './claim.js';
import { readFolder, type Folder } from './folder.js';
import type { Edition, PublishPlan } from './plan.js';
import type { NextPlan } from './plan-next.js';

export interface PublishRequest<Plan, O extends Owner> {
  /** Where the versions lie. Made when missing. */
  readonly folder: string;
  readonly edition: Edition;
  readonly plan: (folder: Folder, edition: Edition) => Plan;
  readonly processes: Processes<O>;
  readonly reached?: Reached;
}

/** Plans with the folder held against other publishers, and does what was planned. Returns the plan. May be called again after being killed at any point. */
export async function publish<Plan extends PublishPlan | NextPlan, O extends Owner>(request: PublishRequest<Plan, O>): Promise<Plan | Extract<PublishPlan, { kind: 'refused' }>> {
  const { folder, edition, plan, processes, reached } = request;
  await mkdir(folder, { recursive: true });
  const claim = await claimFolder(folder, processes);
  if (!isClaim(claim)) return { kind: 'refused', reasons: [claimedText(claim)], steps: [] };
  try {
    const planned = plan(await readFolder(folder), edition);
    await applySteps(folder, planned.steps, reached);
    return planned;
  } finally {
    await claim.release();
  }
}

function claimedText({ file, owner }: Claimed): string {
  const who = owner === undefined ? `Somebody is publishing: ${file} cannot be read` : `Process ${owner.pid} on ${owner.host} is publishing`;
  return `${who}. Wait until it is done; if nothing publishes there any more, remove ${file}.`;
}
