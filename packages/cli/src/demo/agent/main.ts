/**
 * Plays every agent of the demo. It speaks the wrapper protocol, asks no model, and knows one kind of bug; what it finds, changes and says of the
 * repository it finds there. Node alone, since it runs as a program of its own.
 */
import { createInterface } from 'node:readline';
import { readAssignment } from './assignment.js';
import { ROLES } from './roles.js';

/** The protocol: says who it is, takes one line, then says that it is at work, and answers. */
const IDENTITY = 'relayflows-agent-cli-v1';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function work(line: string): void {
  const { instruction } = JSON.parse(line) as { readonly instruction: string };
  const assignment = readAssignment(instruction);
  if (assignment === undefined) {
    process.stderr.write('This script does not know what it is asked to do: it plays the roles of the Software Garden.\n');
    process.exitCode = 1;
    return;
  }
  say(`${IDENTITY}-execute`);
  say(ROLES[assignment.role](assignment));
}

// `auth status` asks whether it is signed in, which it need not be.
if (process.argv[2] !== 'auth') {
  say(IDENTITY);
  createInterface({ input: process.stdin }).once('line', work);
}
