#!/usr/bin/env node
// One command that shows relay-flow at work: it copies the repository and the tickets of this folder to a scratch folder, serves them, and asks you to approve.
// `--yes` approves by itself, `--keep` leaves the scratch folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { yes: { type: 'boolean', default: false }, keep: { type: 'boolean', default: false } } });
const example = dirname(fileURLToPath(import.meta.url));
const command = fileURLToPath(new URL('../../packages/relay/bin/relay-flow.js', import.meta.url));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'relay-')));
const env = { ...process.env, RELAY_FLOW_HOME: join(scratch, 'home') };
const askPerson = process.stdin.isTTY === true && !values.yes;

/** Runs relay-flow as you would, and shows it. */
function relayFlow(...args) {
  console.log(`\n$ relay-flow ${args.join(' ')}`);
  const { status } = spawnSync(process.execPath, [command, ...args], { env, cwd: scratch, stdio: 'inherit' });
  if (status !== 0) throw new Error(`relay-flow ${args[0]} ended with ${status}.`);
}

/** The same for this program's own eyes. */
function look(...args) {
  const { stdout } = spawnSync(process.execPath, [command, ...args, '--json'], { env, cwd: scratch, encoding: 'utf8' });
  const answer = JSON.parse(stdout);
  return answer.ok ? answer.data : undefined;
}

async function until(ticket, is) {
  for (let tries = 0; tries < 600; tries += 1) {
    const run = look('run', 'get', '--ticket', ticket);
    if (run !== undefined && is(run)) return run;
    await sleep(200);
  }
  throw new Error(`Nothing became of ${ticket}.`);
}

let serving = false;
try {
  for (const folder of ['app', 'tickets']) cpSync(join(example, folder), join(scratch, folder), { recursive: true });
  const git = (...args) => execFileSync('git', ['-c', 'user.name=Example', '-c', 'user.email=example@example.com', ...args], { cwd: join(scratch, 'app'), stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'Begin');

  relayFlow('init', '--task-plugin', 'files', '--runner-plugin', 'worktree', '--harness-plugin', 'command');
  const config = join(scratch, 'home', 'config.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace('harnessConfig: {}', `harnessConfig:\n  command: ${JSON.stringify([process.execPath, join(example, 'agent.mjs')])}`).replace(/pollIntervalSeconds: \d+/, 'pollIntervalSeconds: 1'));
  relayFlow('serve', '--background');
  serving = true;
  relayFlow('repo', 'register', '--name', 'app', '--path', join(scratch, 'app'), '--set', `ticketsDir=${join(scratch, 'tickets')}`);
  relayFlow('workflow', 'submit', '--file', join(example, 'change.yaml'));

  for (const ticket of ['APP-1', 'APP-2']) {
    await until(ticket, ({ proposal }) => proposal !== null);
    relayFlow('run', 'get', '--ticket', ticket);
    if (askPerson) {
      const terminal = createInterface({ input: process.stdin, output: process.stdout });
      await terminal.question(`\nThe report of ${ticket} waits for you. Press Enter to approve it. `);
      terminal.close();
    }
    relayFlow('run', 'approve', '--ticket', ticket, '--yes');
    await until(ticket, ({ state }) => state === 'completed');
  }
  relayFlow('run', 'list');
  console.log('\n$ cat tickets/APP-1.md');
  console.log(readFileSync(join(scratch, 'tickets', 'APP-1.md'), 'utf8').trimEnd());
  console.log('\n$ git log --oneline relay/APP-1');
  console.log(execFileSync('git', ['log', '--oneline', 'relay/APP-1'], { cwd: join(scratch, 'app'), encoding: 'utf8' }).trimEnd());
} finally {
  if (serving) relayFlow('stop');
  if (values.keep) console.log(`\nEverything is in ${scratch}: \`RELAY_FLOW_HOME=${join(scratch, 'home')} relay-flow serve\` goes on.`);
  else rmSync(scratch, { recursive: true, force: true });
}
