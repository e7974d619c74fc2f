/**
 * Proposes to serve the newest published versions: moves the pins of `published/catalog.json`, one catalog version further. Only what is committed can be
 * served, from the commit that added it. `npx tsx scripts/propose-catalog-bump.mts` reports what would change.
 *
 * `--write` writes the catalog, to be committed. `--open-pr` leaves the checkout alone and opens a change request for the remote's default branch.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { catalogText } from '../packages/generator/src/catalog/catalog.js';
import { createGit } from '../packages/generator/src/catalog/git.js';
import { openMove } from '../packages/generator/src/catalog/open-move.js';
import { moveText, proposeMove, type Proposal } from '../packages/generator/src/catalog/propose.js';
import { CATALOG_FILE } from '../packages/generator/src/catalog/published-at.js';
import { writeCatalog } from '../packages/generator/src/catalog/write.js';
import { ghOpener } from './published/gh-opener.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false }, 'open-pr': { type: 'boolean', default: false } } });
const git = createGit(root);

function report(proposal: Proposal): void {
  (proposal.kind === 'refused' ? process.stderr : process.stdout).write(`${moveText(proposal)}\n`);
  if (proposal.kind === 'refused') process.exitCode = 1;
}

async function write(): Promise<void> {
  const proposal = await proposeMove(git, 'HEAD');
  report(proposal);
  if (proposal.kind !== 'move') return;
  const problem = await writeCatalog(join(root, 'published'), proposal.present, catalogText(proposal.catalog));
  if (problem === undefined) process.stdout.write(`${CATALOG_FILE} is written. Commit it by itself.\n`);
  else report({ kind: 'refused', reasons: [problem], present: proposal.present });
}

async function openPullRequest(): Promise<void> {
  const opened = await openMove(git, ghOpener(root));
  report(opened.kind === 'opened' ? opened.proposal : opened);
  if (opened.kind === 'opened') process.stdout.write(`${opened.url}\n`);
}

if (values.write && values['open-pr']) {
  process.stderr.write('Take one of --write and --open-pr.\n');
  process.exitCode = 2;
} else if (values['open-pr']) await openPullRequest();
else if (values.write) await write();
else report(await proposeMove(git, 'HEAD'));
