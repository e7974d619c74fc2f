// A program for a terminal: says how it was started, then writes down what it is told.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, ...args] = process.argv.slice(2);
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('RELAY_FLOW_')));
appendFileSync(file, `${JSON.stringify({ args, env })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'exit') process.exit();
  appendFileSync(file, `${line}\n`);
}
