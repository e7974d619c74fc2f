import { expect, it } from 'vitest';
import { freshnessProblems } from '../../src/publish/freshness.js';
import { manifestText } from '../../src/publish/manifest.js';
import { folderOf, manifestOf } from './edition.js';

const [ONE, TWO] = ['one\n', 'two\n'];

it.each([
  ['is fresh before anything is published', folderOf([]), []],
  ['is fresh when the newest version is what the generator makes', folderOf([ONE, TWO]), []],
  ['is fresh when next is what the generator makes', folderOf([ONE], { 'next.flow.ts': TWO }), []],
  ['is stale when the generator makes something else than the newest version', folderOf([TWO, ONE]), ['v2.flow.ts is not what the generator makes of the draft any more. Begin the next version: run NEXT']],
  ['is stale when the generator makes something else than next', folderOf([ONE], { 'next.flow.ts': ONE.repeat(2) }), ['next.flow.ts is not what the generator makes of the draft. Run NEXT']],
  ['is unfinished after a publish that was killed', folderOf([TWO], { 'manifest.json.staged': '{' }), ['A publish was interrupted. Run PUBLISH']],
  ['is unfinished with the version in its place', folderOf([ONE], { 'v2.flow.ts': TWO, 'manifest.json.staged': manifestText(manifestOf(ONE, TWO)) }), ['A publish was interrupted. Run PUBLISH']],
  ['is unfinished with a next that was published', folderOf([ONE, TWO], { 'next.flow.ts': TWO }), ['A publish was interrupted. Run PUBLISH']],
  ['is damaged when a version is missing', new Map([...folderOf([ONE, TWO])].filter(([name]) => name !== 'v1.flow.ts')), ['v1.flow.ts is missing. What was published never changes: restore it with git.']],
])('a folder %s', (_, folder, problems) => {
  expect(freshnessProblems(folder, TWO, { publish: 'PUBLISH', next: 'NEXT' })).toEqual(problems);
});
