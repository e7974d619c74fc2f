/**
 * `tsx scripts/agent-clis.mts [name …]`: installs the coding-agent CLIs that the tests drive (or those named), at their pinned versions, into a cache
 * outside of the checkout: `$RELAYFLOWS_AGENT_CACHE`, or `relayflows/agent-clis` below `$XDG_CACHE_HOME` or `~/.cache`.
 */
import { mkdir } from 'node:fs/promises';
import { agentCacheFolder } from '../packages/stub-llm/src/clis/installed.js';
import { PINNED_CLIS, type PinnedCli } from '../packages/stub-llm/src/clis/pinned.js';
import { install, removeLeftovers } from './agent-clis/install.mjs';

const names = process.argv.slice(2);
const unknown = names.filter((name) => !PINNED_CLIS.some((cli) => cli.name === name));
if (unknown.length > 0) {
  process.stderr.write(`There is no CLI called ${unknown.join(', ')}. There are: ${PINNED_CLIS.map((cli) => cli.name).join(', ')}.\n`);
  process.exit(2);
}

const cache = agentCacheFolder();

async function attempt(cli: PinnedCli): Promise<boolean> {
  const started = performance.now();
  try {
    const how = await install(cli, cache);
    const seconds = ((performance.now() - started) / 1_000).toFixed(0);
    process.stdout.write(`${cli.package}@${cli.version} ${how === 'present' ? 'is installed' : `was installed in ${seconds} s`}\n`);
    return true;
  } catch (error) {
    process.stderr.write(`${cli.package}@${cli.version} could not be installed into ${cache}: ${error instanceof Error ? error.message : String(error)}\n`);
    return false;
  }
}

await mkdir(cache, { recursive: true });
await removeLeftovers(cache);
const attempts = await Promise.all(PINNED_CLIS.filter((cli) => names.length === 0 || names.includes(cli.name)).map(attempt));
process.exitCode = attempts.every(Boolean) ? 0 : 1;
