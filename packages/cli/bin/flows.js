#!/usr/bin/env node
// Stays free of imports that are not needed to answer `--version`, and of syntax that an old Node cannot parse, so that it can say so.
import { existsSync, readFileSync, writeSync } from 'node:fs';

const OLDEST_NODE = [20, 19];

function ownVersion() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

function refuse(text, hint) {
  const args = process.argv.slice(2);
  if (args.includes('--json') || args.includes('--json-events')) {
    const diagnostic = { severity: 'error', code: 'invalid_invocation', message: text, hint };
    process.stdout.write(JSON.stringify({
      ...(args.includes('--json-events') ? { type: 'report' } : {}),
      ok: false, command: args[0], path: null, runId: null, rootRunId: null, status: 'refused', completionReason: null,
      completedSteps: 0, diagnostics: [diagnostic], resolutions: [],
    }) + '\n');
  }
  process.stderr.write(`REFUSED [invalid_invocation] ${text}\n  ${hint}\n`);
  process.exitCode = 2;
}

function tooOld() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
}

function printVersion() {
  try {
    writeSync(1, `${ownVersion()}\n`);
  } catch (error) {
    if (error.code === 'EAGAIN') process.stdout.write(`${ownVersion()}\n`);
    else if (error.code !== 'EPIPE') throw error;
  }
}

async function start() {
  const main = new URL('../dist/main.js', import.meta.url);
  if (!existsSync(main)) {
    return refuse('The command is not built: dist/main.js is missing.', 'Run `npm run build` in the repository, or install @relayflows/cli again.');
  }
  const { main: run } = await import(main.href);
  return run({ args: process.argv.slice(2), version: ownVersion() });
}

async function startUnder(node) {
  const { runUnder } = await import('./other-node.js');
  return runUnder(node, refuse);
}

const [first] = process.argv.slice(2);
const authoredNode = process.env.FLOWS_AUTHORED_NODE;

if (process.argv.length === 3 && (first === '--version' || first === '-v' || first === '-V')) printVersion();
else if (authoredNode !== undefined && authoredNode !== '' && authoredNode !== process.execPath) await startUnder(authoredNode);
else if (tooOld()) refuse(`Node ${process.versions.node} is too old: flows needs ${OLDEST_NODE.join('.')} or newer.`, 'Install a newer Node, or name one by its absolute path in FLOWS_AUTHORED_NODE.');
else await start();
