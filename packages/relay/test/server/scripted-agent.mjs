// A coding agent that does what a plan says: for each node a list of answers, used one after another over all starts of the program.
// Each start leaves a line in starts.log: node, number, and whether the prompt holds what the plan expects.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [folder] = process.argv.slice(2);
const { RELAY_FLOW_NODE: node, RELAY_FLOW_TICKET: ticket } = process.env;
let prompt = '';
for await (const piece of process.stdin) prompt += piece;
const counter = join(folder, 'counts', `${ticket}-${node}`);
mkdirSync(join(folder, 'counts'), { recursive: true });
const count = existsSync(counter) ? Number(readFileSync(counter, 'utf8')) : 0;
const plan = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
const answers = plan[`${ticket}:${node}`] ?? plan[node] ?? [];
const answer = answers[Math.min(count, answers.length - 1)] ?? {};
appendFileSync(join(folder, 'starts.log'), `${ticket} ${node} ${count}\n`);
writeFileSync(join(folder, `prompt-${ticket}-${node}-${count}.txt`), prompt);
if (answer.sleepMs !== undefined) await sleep(answer.sleepMs);
if (answer.waitFor !== undefined) while (!existsSync(join(folder, answer.waitFor))) await sleep(20);
if (answer.file !== undefined) writeFileSync(answer.file, `${answer.file} by ${node}\n`);
// Counted when it is done: one that was killed did not give its answer.
writeFileSync(counter, String(count + 1));
if (answer.text !== undefined) process.stdout.write(answer.text);
else {
  const { status = 'success', next = 'end', completed = `${node} is done`, actions = 'None' } = answer;
  process.stdout.write([
    'Working on it.', '',
    `STATUS: ${status}`, `NEXT STEP: ${next}`, 'SUMMARY:', `COMPLETED: ${completed}`, 'COMMITS: None', 'NOT COMPLETED: None', `ISSUES DISCOVERED: ${status === 'failure' ? 'It does not work.' : 'None'}`,
    'VERIFICATION: None', 'NOTES: None', 'FEEDBACK:', `REASON FOR NEXT STEP: ${next === 'end' ? 'None' : `It is the turn of ${next}.`}`, `REQUIRED ACTIONS: ${actions}`, 'RELEVANT CONTEXT: None', 'EXPECTED RESULT: None', '',
  ].join('\n'));
}
process.exitCode = answer.exit ?? 0;
