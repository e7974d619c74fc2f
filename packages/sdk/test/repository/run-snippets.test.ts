import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProblems } from '../../../../scripts/docs/run-snippets.mjs';
import { snippetsOf } from '../../../../scripts/docs/snippets.mjs';
import { typeProblems } from '../../../../scripts/docs/typed-snippets.mjs';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

const fenced = (info: string, ...lines: readonly string[]) => ['```' + info, ...lines, '```'].join('\n');

describe('commands of a document', () => {
  const problems = (...blocks: readonly string[]) => runProblems(root, snippetsOf('a.md', blocks.join('\n')));

  it('run in one fresh repository that holds the files of the document', async () => {
    const found = await problems(
      fenced('ts notes/a.mts', 'export const a = 1;'),
      fenced('sh', 'test -f notes/a.mts', 'git rev-parse --verify -q HEAD', 'echo kept > kept'),
      fenced('console', '$ cat kept', 'kept', '$ false   # exit 1', '$ echo RUN 0123456789ab done', 'RUN … done', '$ echo <run-id>', '0123456789ab'),
    );
    expect(found).toEqual([]);
  });

  it('are reported with their place when they end or print otherwise', async () => {
    const found = await problems(fenced('console', '$ exit 4', '$ echo one', 'two'), fenced('sh', 'false', 'true'));
    expect(found).toEqual([
      expect.stringMatching(/^a\.md:2 \$ exit 4\n {2}ended with 4, the document says 0/),
      expect.stringMatching(/^a\.md:3 \$ echo one\n {2}the document shows:\ntwo\n {2}it printed:\none/),
      expect.stringMatching(/^a\.md:6 ended with 1/),
    ]);
  });
});

describe('what a command leaves running', () => {
  it('neither holds the check up nor survives it', async () => {
    const found = await runProblems(root, snippetsOf('a.md', fenced('console', '$ sleep 600 & echo $! > pid', '$ ! ps -o stat= -p $(cat pid) | grep -v Z')));
    expect(found).toEqual([]);
  });
});

describe('TypeScript of a document', () => {
  it('is reported in the place of the document', async () => {
    const markdown = ['# Title', fenced('ts', 'const a: number = 1;', 'export const b: string = a;'), fenced('ts', "await f.run('true');")].join('\n');
    const found = await typeProblems(root, snippetsOf('docs/a.md', markdown));
    expect(found).toEqual(["docs/a.md:4:14 error TS2322: Type 'number' is not assignable to type 'string'."]);
  });
});
