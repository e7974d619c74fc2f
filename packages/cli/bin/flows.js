#!/usr/bin/env node
// Stays free of imports that `--version` does not need, and of syntax that an old Node cannot parse, so that it can say that it is too old.
import { readFileSync, statSync, writeSync } from 'node:fs';
import * as modules from 'node:module';

const OLDEST_NODE = { major: 20, minor: 19 };
const args = process.argv.slice(2);

/** @returns {string} */
function ownVersion() {
  const manifest = /** @type {{ version: string }} */ (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));
  return manifest.version;
}

function printVersion() {
  const line = `${ownVersion()}\n`;
  try {
    writeSync(1, line);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EAGAIN') process.stdout.write(line);
    else if (code !== 'EPIPE') throw error;
  }
}

function tooOld() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < OLDEST_NODE.major || (major === OLDEST_NODE.major && minor < OLDEST_NODE.minor);
}

/** The same as `main` prints for a refusal, for when there is no `main`.
 * @param {string} text
 * @param {string} hint
 */
function refuse(text, hint) {
  const asEvents = args.includes('--json-events');
  if (asEvents || args.includes('--json')) {
    const document = {
      ok: false, command: args[0] ?? null, path: null, runId: null, rootRunId: null, status: 'refused', completionReason: null, completedSteps: 0,
      diagnostics: [{ severity: 'error', code: 'invalid_invocation', message: text, hint }], resolutions: [],
    };
    process.stdout.write(`${JSON.stringify(asEvents ? Object.assign({ type: 'report' }, document) : document)}\n`);
  }
  process.stderr.write(`REFUSED [invalid_invocation] ${text}\n  ${hint}\n`);
  process.exitCode = 2;
}

/** @param {string} path */
function changed(path) {
  return statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs;
}

/** Whether the command in one file is up to date. Only a checkout has something that it could be older than. */
function bundleIsFresh() {
  const bundled = changed('../dist/bundle/flows.js');
  return bundled !== undefined && ['../dist/.tsbuildinfo', '../../sdk/dist/.tsbuildinfo', '../../surface/dist/.tsbuildinfo'].every((source) => (changed(source) ?? 0) <= bundled);
}

async function start() {
  if (changed('../dist/main.js') === undefined) {
    refuse('The command is not built: dist/main.js is missing.', 'Run `npm run build` in the repository, or install @relayflows/cli again.');
    return;
  }
  const node = process.env['FLOWS_AUTHORED_NODE'];
  if (node !== undefined && node !== '' && node !== process.execPath) {
    const { runUnder } = await import('../dist/other-node.js');
    await runUnder({ node, launcher: process.argv[1] ?? '', args, refuse });
  } else if (tooOld()) {
    refuse(`Node ${process.versions.node} is too old: flows needs ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer.`, 'Install a newer Node, or name one by its absolute path in FLOWS_AUTHORED_NODE.');
  } else {
    // Newer versions of Node keep what they compiled for the next start.
    if ('enableCompileCache' in modules && typeof modules.enableCompileCache === 'function') modules.enableCompileCache();
    const { main } = bundleIsFresh() ? await import('../dist/bundle/flows.js') : await import('../dist/main.js');
    await main({ args, version: ownVersion() });
  }
}

if (args.length === 1 && ['--version', '-v', '-V'].includes(args[0] ?? '')) printVersion();
else await start();
