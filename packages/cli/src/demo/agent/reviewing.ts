import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Assignment } from './assignment.js';
import { git } from './repository.js';

/** Amounts that tell a right price from a wrong one: around nothing, around a whole one, and below zero. */
const AMOUNTS = [0, 5, 10, 99, 100, 1005, 123456, -5, -100, -1005];

/** Tries the code that the change touches, and writes down what comes out wrong. */
export function review({ base }: Assignment): string {
  const changed = git('diff', '--name-only', '--no-ext-diff', base, 'HEAD', '--', 'lib').split('\n').filter((file) => file !== '');
  const findings = changed.flatMap((file) => {
    const printed = outputsOf(file);
    const wrong = AMOUNTS.filter((cents, at) => printed[at] !== right(cents));
    const example = wrong.at(-1);
    return example === undefined ? [] : [{ file, example, printed: printed[AMOUNTS.indexOf(example)] ?? 'nothing', count: wrong.length }];
  });
  const [first] = findings;
  if (first === undefined) {
    writeFileSync('review.clean', '');
    return `${AMOUNTS.length} amounts come out right, refunds among them.`;
  }
  writeFileSync('review.md', findings.map(({ file, example, printed, count }) => `\`${file}\`: \`formatPrice(${example})\` gives \`${printed}\`, and has to give \`${right(example)}\`. ${count} of ${AMOUNTS.length} amounts come out wrong, and no test says so.\n`).join('\n'));
  return `formatPrice(${first.example}) gives ${first.printed}, and has to give ${right(first.example)}.`;
}

function right(cents: number): string {
  return (cents / 100).toFixed(2);
}

function outputsOf(file: string): readonly string[] {
  const code = `import { formatPrice } from './${file}'; console.log(JSON.stringify(${JSON.stringify(AMOUNTS)}.map((cents) => String(formatPrice(cents)))))`;
  return JSON.parse(execFileSync('node', ['--input-type=module', '-e', code], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })) as string[];
}
