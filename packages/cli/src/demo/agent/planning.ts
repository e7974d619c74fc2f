import { readFileSync, writeFileSync } from 'node:fs';
import { importsOf, runTests, trackedFiles } from './repository.js';
import { missingFiles } from './question.js';
import type { Assignment } from './assignment.js';

/** Finds the code behind the ticket: what a failing test imports. */
export function plan({ ticket }: Assignment): string {
  const missing = missingFiles(ticket);
  if (missing.length > 0) {
    writeFileSync('plan.md', `Ask first: ${missing.join(', ')}, which the ticket names, does not exist here.\n`);
    return `The ticket names ${missing.join(', ')}, which does not exist here.`;
  }
  const { failing } = runTests();
  const [test] = failing;
  if (test === undefined) {
    writeFileSync('plan.md', 'No test fails. Write one that shows what the ticket describes.\n');
    return 'No test fails that would show what the ticket describes.';
  }
  const modules = importsOf(test.file);
  writeFileSync('plan.md', ['# Plan', '', `- \`${test.file}\` fails: ${test.name}.`, ...modules.map((file) => `- Change \`${file}\`, which it tests.`), '- Every test passes afterwards.', ''].join('\n'));
  return `"${test.name}" fails (${test.file}); the change belongs in ${modules.join(', ')}.`;
}

/** Keeps of a plan what names files of this repository, and adds what the ticket asks besides. */
export function reviewPlan({ ticket }: Assignment): string {
  const missing = missingFiles(ticket);
  if (missing.length > 0) {
    writeFileSync('reviewed-plan.md', readFileSync('plan.md', 'utf8'));
    return `The plan is right to ask: there is no ${missing.join(', ')}.`;
  }
  const files = new Set(trackedFiles());
  const lines = readFileSync('plan.md', 'utf8').trimEnd().split('\n');
  const right = lines.filter((line) => [...line.matchAll(/`([^`]+\.\w+)`/g)].every(([, path = '']) => files.has(path)));
  const refunds = /refund/i.test(ticket) && !/refund/i.test(right.join('\n'));
  writeFileSync('reviewed-plan.md', `${[...right, ...(refunds ? ['- Look at refunds as well, which the ticket asks for.'] : [])].join('\n')}\n`);
  const dropped = lines.length - right.length;
  return `${dropped === 0 ? 'The files of the plan exist' : `${dropped} lines name what does not exist and are gone`}${refunds ? '; it forgot the refunds.' : '.'}`;
}
