#!/usr/bin/env node
// Plays every role of a flow: what `<this file>.json` says for the role that the instruction is for, as a shell script. Speaks the wrapper protocol.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** What only the rules of a role say. */
const ROLES = [
  ['check-discovery', 'Write a POSIX shell script to .relayflow/check.sh'],
  ['check-repair', 'Never skip, delete or weaken a test'],
  ['planner', 'Write the plan to plan.md'],
  ['plan-reviewer', 'to reviewed-plan.md'],
  ['prototype', 'Write prototype-notes.md'],
  ['comparator', 'Write comparison.md'],
  ['adversary', 'create the empty file review.clean'],
  ['fixer', 'Bring summary.md up to date'],
  ['implementer', 'Write summary.md: what changed'],
];

if (process.argv[2] === 'auth') process.exit(0);
process.stdout.write('relayflows-agent-cli-v1\n');
createInterface({ input: process.stdin }).once('line', (line) => {
  const { instruction } = JSON.parse(line);
  const role = ROLES.find(([, words]) => instruction.includes(words))?.[0] ?? 'unknown';
  process.stdout.write('relayflows-agent-cli-v1-execute\n');
  appendFileSync(`${process.argv[1]}.log`, `${JSON.stringify({ role, instruction, cwd: process.cwd() })}\n`);
  const turns = readFileSync(`${process.argv[1]}.log`, 'utf8').split('\n').filter((entry) => entry.startsWith(`{"role":"${role}"`)).length;
  const scripts = [JSON.parse(readFileSync(`${process.argv[1]}.json`, 'utf8'))[role] ?? 'true'].flat();
  const played = spawnSync('sh', ['-ec', scripts[Math.min(turns, scripts.length) - 1]], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.stdout.write(played.stdout);
  process.exitCode = played.status ?? 1;
});
