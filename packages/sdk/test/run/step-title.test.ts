import { expect, test } from 'vitest';
import { describeCommand } from '../../src/verbs/titles.js';

test.each([
  ['npm test', 'npm test'],
  ['  npm ci\n\nnpm test', 'npm ci …'],
  ['set -eu\nnpm ci', 'npm ci'],
  ['# Runs the checks.\nnpm test', 'npm test'],
  ['# Runs the checks of the repository.\n# More of it.\nsay() {\n  echo\n}\nsay', 'Runs the checks of the repository.'],
  ['#!/bin/sh\n# Runs the checks.\nnpm ci\nnpm test', 'Runs the checks.'],
  ['#\nnpm ci\nnpm test', 'npm ci …'],
  ['npm ci # first\nnpm test', 'npm ci # first …'],
  ['# only a comment', '# only a comment'],
  [`# ${'a'.repeat(200)}\na\nb`, `${'a'.repeat(119)}…`],
])('%j is shown as %j', (command, title) => {
  expect(describeCommand(command)).toBe(title);
});
