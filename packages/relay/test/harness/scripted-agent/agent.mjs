#!/usr/bin/env node
// An agent that plays a part. Called `claude`, it talks as Claude Code does; otherwise it prints plain text. Its state is the folder $SCRIPTED_AGENT.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const state = process.env.SCRIPTED_AGENT;
const asClaude = basename(process.argv[1]) === 'claude';
const at = process.argv.indexOf('--resume');
const resumed = at < 0 ? undefined : process.argv[at + 1];
const prompt = readFileSync(0, 'utf8');
const { SCRIPTED_AGENT: _own, ...env } = process.env;

const path = join(state, 'seen.jsonl');
const turns = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;
const parts = JSON.parse(readFileSync(join(state, 'part.json'), 'utf8'));
const sessions = join(state, 'sessions');
const record = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

if (asClaude && resumed !== undefined && !(existsSync(sessions) && readFileSync(sessions, 'utf8').includes(resumed))) {
  record({ type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 0, errors: [`No conversation found with session ID: ${resumed}`], session_id: randomUUID() });
  process.exit(1);
}
appendFileSync(path, `${JSON.stringify({ prompt, cwd: process.cwd(), env, ...(resumed === undefined ? {} : { session: resumed }) })}\n`);

const part = parts[Math.min(turns, parts.length - 1)];
const session_id = resumed ?? randomUUID();
const say = (id, text) => record({ type: 'assistant', message: { id, model: 'scripted', content: [{ type: 'text', text }] }, parent_tool_use_id: null, session_id });
if (asClaude) {
  appendFileSync(sessions, `${session_id}\n`);
  record({ type: 'system', subtype: 'init', session_id, cwd: process.cwd(), model: 'scripted' });
  if (part.noise !== undefined) say('message-1', part.noise);
} else if (part.noise !== undefined) {
  console.log(part.noise);
}

if (part.hangs === true) {
  process.on('SIGTERM', () => undefined);
  const stubborn = (detached) => spawn('/bin/sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'], { stdio: 'ignore', detached });
  const pids = [process.pid, stubborn(false).pid, stubborn(true).pid];
  writeFileSync(join(state, 'hanging.tmp'), JSON.stringify(pids));
  renameSync(join(state, 'hanging.tmp'), join(state, 'hanging.json'));
  setInterval(() => undefined, 1_000);
} else if (asClaude) {
  if (part.fails !== true && part.says !== undefined) say('message-2', part.says);
  if (part.fails === true) record({ type: 'result', subtype: 'success', is_error: true, num_turns: 1, result: 'API Error: 529 Overloaded', api_error_status: 529, session_id });
  else record({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: part.says ?? '', session_id });
  process.exitCode = part.fails === true ? 1 : 0;
} else {
  if (part.says !== undefined) console.log(part.says);
  process.exitCode = part.fails === true ? 1 : 0;
}
