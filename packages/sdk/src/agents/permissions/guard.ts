import { runFolder } from '../../journal/step-files.js';
import { git } from '../directory/git.js';
import type { TreeRequest } from '../directory/tree-snapshot.js';
import type { SnapshotPlace } from '../directory/work-tree.js';
import { directoryOf, placeOf, treeRequest, unreadable, type DirectoryOfStep } from '../step-place.js';
import { attribute, type Neighbour } from './attribution.js';
import { holdDirectory, type Held } from './held.js';
import type { WriteRule } from './rule.js';
import { verifyHeld, type Finding } from './verify.js';

/** A step whose agent may not write everything. */
export interface Guarded extends DirectoryOfStep {
  readonly agent: string;
  readonly rule: WriteRule;
}

/** Remembers the directory before a turn, and says what could not be put back if it were changed. */
export async function beginGuard(guarded: Guarded): Promise<Held> {
  const { attempt, directory, rule, agent } = guarded;
  const look: TreeRequest = treeRequest(guarded);
  const place: SnapshotPlace = placeOf(guarded);
  try {
    const { held, notKept } = await holdDirectory({ place, look, rule, folder: attempt.file('before') });
    if (notKept !== undefined) {
      attempt.warn('permissions_partial', `Changes that agent "${agent}" makes to ${notKept.files} files of ${directory}, ${Math.ceil(notKept.bytes / 1024 / 1024)} MiB in all, would be noticed but could not be put back: git does not have them and they are too much to copy (${notKept.example}).`);
    }
    return held;
  } catch (error) {
    throw unreadable(error, directory);
  }
}

/** What the agent changed against the rule since then, put back where it can only have been the agent. `several`: others may have had a turn in the directory meanwhile. */
export async function endGuard(guarded: Guarded, held: Held, turns: 'one' | 'several'): Promise<Finding> {
  const { attempt, directory, rule, agent } = guarded;
  try {
    const finding = await verifyHeld({
      held, rule, place: placeOf(guarded), look: treeRequest(guarded),
      attribution: attribute({ directory, beside: await neighbours(guarded, held.at), repository: held.repository?.places.common, turns }),
      ref: `refs/relayflow/forbidden/${runFolder(attempt.run.runId)}/${attempt.stepId}/${attempt.attempt}`,
      folder: attempt.file('forbidden'),
    });
    const [first] = finding.unattributed;
    if (first !== undefined) {
      const more = finding.unattributed.length - 1;
      attempt.warn('permissions_unattributed', `${directory} was changed against the permissions of agent "${agent}" (${rule.words}), perhaps by somebody else, so it was left: ${first}${more === 0 ? '' : ` and ${more} more`}.`);
    }
    return finding;
  } catch (error) {
    throw unreadable(error, directory);
  }
}

/** Who else was at work since then: steps of this run, and agents of other runs in this process that are at work now. */
async function neighbours({ attempt, agents, directory }: Guarded, since: number): Promise<Neighbour[]> {
  const steps = (attempt.stepsSince?.(since) ?? []).map((step) => ({ stepId: step.stepId, directory: directoryOf(attempt, step) }));
  const known = new Set(steps.map((step) => step.directory));
  const others = [...agents.agentSlots.directories].filter((other) => other !== directory && !known.has(other)).map((other) => ({ stepId: `an agent in ${other}`, directory: other }));
  return await Promise.all([...steps, ...others].map(async (other): Promise<Neighbour> => {
    if (other.directory === undefined) return { stepId: other.stepId };
    const asked = await git({ cwd: other.directory, hostEnv: attempt.run.hostEnv, args: ['rev-parse', '--path-format=absolute', '--git-common-dir'] });
    return { stepId: other.stepId, directory: other.directory, ...(asked.exitCode === 0 ? { repository: asked.stdout.toString('utf8').trimEnd() } : {}) };
  }));
}
