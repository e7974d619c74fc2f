/**
 * Cuts the next version of the Software Garden: writes what the generator makes of its draft as `v<N+1>.flow.ts` and moves the manifest. What was published
 * is never changed. `npx tsx scripts/publish-software-garden.mts`
 *
 * `--next` keeps the generator's output as `next.flow.ts` instead, the version that is being built. `--dry-run` only says what would be done.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { readFolder } from '../packages/generator/src/publish/folder.js';
import { planNext, type NextPlan } from '../packages/generator/src/publish/plan-next.js';
import { planPublish, type PublishPlan } from '../packages/generator/src/publish/plan.js';
import { publish } from '../packages/generator/src/publish/publish.js';
import { processes } from './published/processes.mjs';
import { GARDEN, INGREDIENTS, softwareGarden } from './published/software-garden.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { next: { type: 'boolean', default: false }, 'dry-run': { type: 'boolean', default: false } } });
const dryRun = values['dry-run'];

function report(plan: PublishPlan | NextPlan): void {
  for (const step of plan.steps) process.stdout.write(`${dryRun ? 'would ' : ''}${step.do} ${step.do === 'rename' ? `${step.from} to ${step.to}` : step.name}\n`);
  switch (plan.kind) {
    case 'publish':
      process.stdout.write(`Version ${plan.version}, sha256 ${plan.sha256}. Commit ${GARDEN}; in a later commit move the catalog with npx tsx scripts/propose-catalog-bump.mts --write.\n`);
      break;
    case 'finish':
      process.stdout.write(`The publish of version ${plan.version} was interrupted; this finishes it. Nothing else is published: run the script again for that.\n`);
      break;
    case 'unchanged':
      process.stdout.write(`Version ${plan.version} is what the generator makes. There is nothing to publish.\n`);
      break;
    case 'next':
    case 'fresh':
      process.stdout.write(`${GARDEN}/next.flow.ts is what the generator makes. Commit it.\n`);
      break;
    case 'refused':
      process.stderr.write(`Nothing is published:\n${plan.reasons.map((reason) => `  ${reason}\n`).join('')}`);
      process.exitCode = 1;
      break;
  }
}

/** A version is cut from a commit at which the generator makes it. */
async function uncommitted(): Promise<string> {
  return (await execa('git', ['status', '--porcelain', '--', ...INGREDIENTS], { cwd: root })).stdout;
}

const changes = values.next || dryRun ? '' : await uncommitted();
if (changes === '') {
  const folder = join(root, GARDEN);
  const edition = await softwareGarden(root);
  const plan: (typeof planPublish) | (typeof planNext) = values.next ? planNext : planPublish;
  report(dryRun ? plan(await readFolder(folder), edition) : await publish<PublishPlan | NextPlan, ReturnType<typeof processes.self>>({ folder, edition, plan, processes }));
} else {
  report({ kind: 'refused', reasons: ['A version is cut from a commit at which the generator makes it. Commit first:', ...changes.split('\n')], steps: [] });
}
