#!/usr/bin/env node
// Free of imports that `--version` does not need, and of syntax that an old Node cannot read: it must be able to say that it is too old.
import { existsSync, readFileSync } from 'node:fs';
import * as modules from 'node:module';

const OLDEST_NODE = { major: 20, minor: 19 };
const args = process.argv.slice(2);

/** @returns {string} */
function ownVersion() {
  const manifest = /** @type {{ version: string }} */ (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));
  return manifest.version;
}

function tooOld() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < OLDEST_NODE.major || (major === OLDEST_NODE.major && minor < OLDEST_NODE.minor);
}

/**
 * What the command prints for a mistake, for when there is no command. A plugin reads `{code, message}` from error output.
 * @param {string} text
 * @param {string} hint
 */
function refuse(text, hint) {
  if (args[0] === 'report' || args[0] === 'runtime-register') process.stderr.write(`${JSON.stringify({ code: 'internalError', message: text })}\n`);
  else if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ ok: false, error: { code: 'usage', message: text, hint: hint } })}\n`);
  else process.stderr.write(`REFUSED [usage] ${text}\n  ${hint}\n`);
  process.exitCode = 2;
}

async function start() {
  if (tooOld()) refuse(`Node ${process.versions.node} is too old: relay-flow needs ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer.`, 'Install a newer Node.');
  else if (!existsSync(new URL('../dist/main.js', import.meta.url))) refuse('The command is not built: dist/main.js is missing.', 'Run `npm run build` in the repository, or install @relayflows/relay again.');
  else {
    // Newer versions of Node keep what they compiled for the next start.
    if ('enableCompileCache' in modules && typeof modules.enableCompileCache === 'function') modules.enableCompileCache();
    const { main } = await import('../dist/main.js');
    await main({ args: args, version: ownVersion() });
  }
}

const asked = args.length === 1 ? args[0] : '';
if (asked === '--version' || asked === '-v' || asked === 'version') process.stdout.write(`${ownVersion()}\n`);
else await start();
