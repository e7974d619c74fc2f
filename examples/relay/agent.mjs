#!/usr/bin/env node
// Plays the agents of this example, without a model: it builds what the two tickets ask for, forgets a test at first, and reviews what it built.
// A real one would read the prompt on standard input and think; like a real one, it works in the ticket's worktree and ends with a report.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const { RELAY_FLOW_NODE: node, RELAY_FLOW_TICKET: ticket } = process.env;
let prompt = '';
for await (const piece of process.stdin) prompt += piece;

const TICKETS = {
  'APP-1': {
    code: ["return `Hello, ${name}!`;", "return `Hello, ${name ?? 'friend'}!`;"],
    test: "test('greets a friend without a name', () => assert.equal(greet(), 'Hello, friend!'));\n",
    title: 'Greet people without a name as friends',
  },
  'APP-2': {
    code: ['export function greet', 'export function goodbye(name) {\n  return `Goodbye, ${name}!`;\n}\n\nexport function greet'],
    test: "test('says goodbye', () => assert.equal(goodbye('Ada'), 'Goodbye, Ada!'));\n",
    title: 'Say goodbye',
  },
};
const work = TICKETS[ticket];

const git = (...args) => execFileSync('git', ['-c', 'user.name=Example', '-c', 'user.email=example@example.com', ...args], { encoding: 'utf8' }).trim();
const testFile = 'test/greet.test.js';

function report({ status = 'success', next, summary, commits = 'None', issues = 'None', verification = 'None', reason = 'None', actions = 'None' }) {
  process.stdout.write(`
STATUS: ${status}
NEXT STEP: ${next}
SUMMARY:
COMPLETED: ${summary}
COMMITS: ${commits}
NOT COMPLETED: None
ISSUES DISCOVERED: ${issues}
VERIFICATION: ${verification}
NOTES: None
FEEDBACK:
REASON FOR NEXT STEP: ${reason}
REQUIRED ACTIONS: ${actions}
RELEVANT CONTEXT: None
EXPECTED RESULT: None
`);
}

function build() {
  const source = readFileSync('src/greet.js', 'utf8');
  if (!source.includes(work.code[1])) writeFileSync('src/greet.js', source.replace(...work.code));
  // The reviewer's remark is in the prompt of the next visit.
  if (prompt.includes('Add a test')) {
    const tests = readFileSync(testFile, 'utf8');
    if (!tests.includes(work.test)) writeFileSync(testFile, `${tests.replace('{ greet }', ticket === 'APP-2' ? '{ goodbye, greet }' : '{ greet }')}${work.test}`);
  }
  git('add', '-A');
  if (git('status', '--porcelain') !== '') git('commit', '-qm', prompt.includes('Add a test') ? 'Add the test that the review asked for' : work.title);
  report({ next: 'review', summary: work.title, commits: git('log', '-1', '--format=%h %s'), reason: 'It works and is committed.', actions: 'Run the tests and read the commit.' });
}

function review() {
  const tested = existsSync(testFile) && readFileSync(testFile, 'utf8').includes(work.test);
  if (!tested) {
    report({ status: 'failure', next: 'build', summary: 'Read the commit.', issues: 'The change has no test.', reason: 'A change needs a test.', actions: 'Add a test for what the ticket asks for.' });
    return;
  }
  const output = execFileSync(process.execPath, ['--test', testFile], { encoding: 'utf8' });
  const passed = /^# pass (\d+)/m.exec(output)?.[1] ?? /pass (\d+)/.exec(output)?.[1] ?? 'all';
  report({ next: 'approve', summary: 'The change does what the ticket asks for, and has a test.', verification: `${passed} tests pass.`, reason: 'It may be shown to a person.', actions: 'Decide whether it is merged.' });
}

function approve() {
  report({ next: 'end', summary: `${work.title}. It has a test, all tests pass, and it may be merged.`, commits: git('log', '--format=%h %s', 'main..HEAD').replaceAll('\n', '; ') });
}

({ build, review, approve })[node]();
