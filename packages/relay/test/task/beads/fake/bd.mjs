#!/usr/bin/env node
// A strict stand-in for `bd`. Keeps what it knows in BEADS_DIR/beads.json, and a line for every call in BEADS_DIR/calls.jsonl. What a test sets under `behavior` makes
// it behave as one or another version does, or fail.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { call } from './call.mjs';
import { logDaemon } from './state.mjs';

// One that is asked to end lets go of its lock first: what is here runs to its end before the signal is heard.
process.on('SIGTERM', () => process.exit(143));

const { exitCode, stdout, stderr, behavior } = call({ argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), input: () => readFileSync(0, 'utf8') });
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
if (behavior.daemon) {
  const daemon = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
  daemon.unref();
  logDaemon(process.env.BEADS_DIR, daemon.pid);
}
if (behavior.hang) setTimeout(() => {}, 600_000);
