#!/usr/bin/env node
// One command that shows relay-flow at work: it copies the repository and the tickets of this folder to a scratch folder, serves them, and lets you decide.
// `--yes` approves by itself, `--keep` leaves the scratch folder.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { yes: { type: 'boolean', default: false }, keep: { type: 'boolean', default: false } } });
const example = dirname(fileURLToPath(import.meta.url));
const command = fileURLToPath(new URL('../../packages/relay/bin/relay-flow.js', import.meta.url));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'relay-')));
const env = { ...process.env, RELAY_FLOW_HOME: join(scratch, 'home') };
const askPerson = process.stdin.isTTY === true && !values.yes;

// Whoever leaves early leaves no server behind.
let left = false;
let shown;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    left = true;
    shown?.kill(signal);
  });
}

/** Runs relay-flow as you would, and shows it. Answers whether it was done. */
async function tried(...args) {
  console.log(`\n$ relay-flow ${args.join(' ')}`);
  shown = spawn(process.execPath, [command, ...args], { env, cwd: scratch, stdio: 'inherit' });
  const [status] = await once(shown, 'exit');
  shown = undefined;
  return status === 0;
}

async function relayFlow(...args) {
  if (!(await tried(...args)) || left) throw new Error(left ? 'You left before it was done.' : `relay-flow ${args.join(' ')} was not done.`);
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
    if (left) throw new Error('You left before it was done.');
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

  await relayFlow('init', '--task-plugin', 'files', '--runner-plugin', 'worktree', '--harness-plugin', 'command');
  const config = join(scratch, 'home', 'config.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace('harnessConfig: {}', `harnessConfig:\n  command: ${JSON.stringify([process.execPath, join(example, 'agent.mjs')])}`).replace(/pollIntervalSeconds: \d+/, 'pollIntervalSeconds: 1'));
  serving = true;
  await relayFlow('serve', '--background');
  await relayFlow('repo', 'register', '--name', 'app', '--path', join(scratch, 'app'), '--set', `ticketsDir=${join(scratch, 'tickets')}`);
  await relayFlow('workflow', 'submit', '--file', join(example, 'change.yaml'));

  for (const ticket of ['APP-1', 'APP-2']) {
    await until(ticket, ({ proposal }) => proposal !== null);
    await relayFlow('run', 'get', '--ticket', ticket);
    // The command shows the report and asks. After a no, reject asks what is wrong, and the agent reports again.
    if (!askPerson) await relayFlow('run', 'approve', '--ticket', ticket, '--yes');
    else {
      while (!(await tried('run', 'approve', '--ticket', ticket))) {
        const { proposal: before } = look('run', 'get', '--ticket', ticket);
        await relayFlow('run', 'reject', '--ticket', ticket);
        await until(ticket, ({ proposal }) => proposal !== null && proposal.reportId !== before?.reportId);
      }
    }
    await until(ticket, ({ state }) => state === 'completed');
  }
  await relayFlow('run', 'list');
  console.log('\n$ cat tickets/APP-1.md');
  console.log(readFileSync(join(scratch, 'tickets', 'APP-1.md'), 'utf8').trimEnd());
  console.log('\n$ git log --oneline relay/APP-1');
  console.log(execFileSync('git', ['log', '--oneline', 'relay/APP-1'], { cwd: join(scratch, 'app'), encoding: 'utf8' }).trimEnd());
} catch (error) {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
} finally {
  if (serving) await tried('stop');
  if (values.keep) console.log(`\nEverything is in ${scratch}: \`RELAY_FLOW_HOME=${join(scratch, 'home')} relay-flow serve\` goes on.`);
  else rmSync(scratch, { recursive: true, force: true });
}
