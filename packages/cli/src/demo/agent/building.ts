import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { BUG, REPAIR } from '../project.js';
import type { Assignment } from './assignment.js';
import { ask, missingFiles } from './question.js';
import { git, importsOf, runTests } from './repository.js';

/** Mends what a failing test shows, and proves it with that test. */
export function implement({ ticket }: Assignment): string {
  const missing = missingFiles(ticket);
  if (missing.length > 0) return ask(missing);
  const before = runTests();
  const [test] = before.failing;
  const file = test === undefined ? undefined : importsOf(test.file).find((path) => readFileSync(path, 'utf8').includes(BUG));
  if (test === undefined || file === undefined) return 'No test shows a bug that I know how to mend, so I have changed nothing.';

  replace(file, BUG, REPAIR);
  const after = runTests();
  git('add', file);
  git('commit', '-q', '-m', 'Print both decimals of a price', '-m', 'The cents were printed as a number, without the zero before fewer than ten.');
  writeFileSync('summary.md', [
    '## What was wrong',
    '',
    'The cents of a price were printed as a number, so that 1005 became `10.5`.',
    '',
    '## What changed',
    '',
    `- \`${file}\`: cents have two digits.`,
    '',
    '## How it is proved',
    '',
    `- \`${test.file}\`, "${test.name}", failed before and passes now.`,
    '',
  ].join('\n'));
  return `${file} prints two decimals now. Tests that fail: ${before.failing.length} before, ${after.failing.length} after.`;
}

/** Resolves the finding about negative amounts, with a test that shows it. */
export function fix(): string {
  const file = /`(lib\/[^`]+)`/.exec(readFileSync('review.md', 'utf8'))?.[1];
  const source = file === undefined ? '' : readFileSync(file, 'utf8');
  const returns = /^ {2}return .*;$/m.exec(source)?.[0];
  if (file === undefined || returns === undefined) return 'review.md names nothing that I know how to mend.';

  const amount = returns.replaceAll('cents', 'amount').replace('return `', 'return `${sign}');
  replace(file, returns, `  const [sign, amount] = cents < 0 ? ['-', -cents] : ['', cents];\n${amount}`);
  const test = file.replace(/^lib\/(.*)\.js$/, 'test/$1.test.js');
  appendFileSync(test, `\ntest('prints a refund with its sign', () => {\n  assert.equal(formatPrice(-1005), '-10.05');\n});\n`);
  const { total, failing } = runTests();
  git('add', file, test);
  git('commit', '-q', '-m', 'Print refunds with their sign', '-m', 'Rounding down and the rest of a division go different ways below zero.');
  addToSummary('## What changed', `- \`${file}\`: the sign of a refund is taken off before the amount is printed.`);
  addToSummary('## How it is proved', `- \`${test}\`, "prints a refund with its sign", is new.`);
  return `Refunds keep their sign, and a test shows it. Of ${total} tests ${failing.length} fail.`;
}

/** Puts a line behind the list under a heading. */
function addToSummary(heading: string, line: string): void {
  const summary = readFileSync('summary.md', 'utf8');
  const list = new RegExp(`${heading}\\n\\n(?:- .*\\n)+`).exec(summary)?.[0];
  if (list !== undefined) replace('summary.md', list, `${list}${line}\n`);
}

function replace(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, () => to));
}
