#!/usr/bin/env node
// What `relayflow-open-change` and `relayflow-change` execute: `node change-command.js open-change|change …`.
import { statSync } from 'node:fs';
import * as modules from 'node:module';

/** @param {string} path */
function changed(path) {
  return statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs;
}

/** Whether the commands in one file are up to date. Only a checkout has something that they could be older than. */
function bundleIsFresh() {
  const bundled = changed('../../dist/bundle/change-commands.js');
  return bundled !== undefined && (changed('../../dist/.tsbuildinfo') ?? 0) <= bundled;
}

async function start() {
  if (changed('../../dist/forge/commands/main.js') === undefined) {
    process.stderr.write('relayflow: The command is not built. Run `npm run build` in the repository, or install @relayflows/sdk again.\n');
    process.exitCode = 1;
    return;
  }
  // Newer versions of Node keep what they compiled for the next start.
  if ('enableCompileCache' in modules && typeof modules.enableCompileCache === 'function') modules.enableCompileCache();
  const { runChangeCommand } = bundleIsFresh() ? await import('../../dist/bundle/change-commands.js') : await import('../../dist/forge/commands/main.js');
  const [name, ...args] = process.argv.slice(2);
  process.exitCode = await runChangeCommand(name === 'change' ? 'change' : 'open-change', args, {
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    stdout: (/** @type {string} */ text) => process.stdout.write(text),
    stderr: (/** @type {string} */ text) => process.stderr.write(text),
  });
}

await start();
