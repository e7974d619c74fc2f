#!/usr/bin/env node
// A strict stand-in for `bd`. Keeps what it knows in BEADS_DIR/beads.json, and a line for every call in BEADS_DIR/calls.jsonl. What a test sets under `behavior` makes
// it behave as one or another version does, or fail.
import { spawn } from 'node:child_process';
import { act } from './acts.mjs';
import { parse } from './flags.mjs';
import { Refusal } from './refusal.mjs';
import { logCall, logDaemon, openState } from './state.mjs';

const WRITES = new Set(['create', 'update', 'comment', 'close', 'reopen', 'dep add', 'label add', 'label remove']);

// One that is asked to end lets go of its lock first: what is here runs to its end before the signal is heard.
process.on('SIGTERM', () => process.exit(143));

const argv = process.argv.slice(2);
const json = argv.includes('--json');
let behavior = {};

function refuse(error) {
  const { text, code } = error;
  if (json && behavior.jsonErrors) process.stderr.write(`${JSON.stringify({ error: text, code })}\n`);
  else process.stderr.write(`Error: ${text}\n`);
  process.exitCode = 1;
}

/** What goes wrong with this call, if anything. Some of it is for once. */
function disturbance(state, name) {
  const { fail } = state.behavior;
  if (fail === undefined || !(fail.verbs ?? [...WRITES]).includes(name)) return undefined;
  if ((fail.after ?? 0) > 0) {
    fail.after -= 1;
    return undefined;
  }
  if (fail.always !== true) delete state.behavior.fail;
  return fail;
}

function print(result) {
  let shown = result;
  if (behavior.wrap && Array.isArray(result)) shown = { schema_version: 2, items: result };
  if (behavior.bareObjects && Array.isArray(result) && result.length === 1) shown = result[0];
  if (behavior.notices) process.stdout.write('[sync] pulled 3 changes {fast}\nbd 1.3.0 is available.\n');
  process.stdout.write(behavior.garbage ? 'Everything is fine.\n[{"id": "bd-1", ' : `${JSON.stringify(shown, null, behavior.compact ? 0 : 2)}\n`);
}

try {
  for (const name of ['BEADS_DB', 'BD_DB']) if ((process.env[name] ?? '') !== '') throw new Refusal('redirected', `${name} chooses another database`);
  const call = parse(argv);
  const state = openState();
  let fail;
  try {
    behavior = state.data.behavior;
    logCall({ argv, cwd: process.cwd(), input: call.input ?? null, env: Object.fromEntries(Object.entries(process.env).filter(([key]) => /^(?:BEADS|BD|RELAY_FLOW|GIT)_/.test(key))) });
    fail = disturbance(state.data, call.name);
    // A bd that fails may well repeat what it was given.
    const lost = fail && new Refusal(fail.code ?? 'failed', fail.echo ? `${fail.text} (${argv.join(' ')}: ${call.input ?? ''})` : fail.text);
    if (lost !== undefined && fail.effect !== true) throw lost;
    const result = act(state.data, call);
    if (lost !== undefined) throw lost;
    print(result);
  } catch (error) {
    // Nothing of a refused call is kept, but a lost answer is to a call that had its effect.
    if (fail === undefined) state.forget();
    throw error;
  } finally {
    state.close();
  }
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  refuse(error);
}
if (behavior.daemon) {
  const daemon = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
  daemon.unref();
  logDaemon(daemon.pid);
}
if (behavior.hang) setTimeout(() => {}, 600_000);
