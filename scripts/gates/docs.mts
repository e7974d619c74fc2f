import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProblems } from '../docs/run-snippets.mjs';
import { snippetsOf, type Snippet } from '../docs/snippets.mjs';
import { typeProblems } from '../docs/typed-snippets.mjs';
import { repositoryFiles, type Gate } from './gate.mjs';

const MARKS: Readonly<Record<string, RegExp>> = { ts: /^(|body|[\w./-]+\.(ts|mts))$/, sh: /^(|clone|unchecked)$/, console: /^$/, json: /^/, text: /^/ };

function markProblems(snippet: Snippet): readonly string[] {
  const allowed = MARKS[snippet.language];
  if (allowed === undefined) return [`${snippet.file}:${snippet.line} a snippet in "${snippet.language}" is not checked; use ${Object.keys(MARKS).join(', ')}`];
  return allowed.test(snippet.mark) ? [] : [`${snippet.file}:${snippet.line} the mark "${snippet.mark}" means nothing`];
}

export const docs: Gate = {
  name: 'docs',
  proves: 'snippets of the documents type-check, and their commands print what is shown',
  afterBuild: true,
  problems: async (root) => {
    const files = (await repositoryFiles(root, '*.md')).filter((file) => !file.startsWith('.changeset/') && !file.endsWith('CHANGELOG.md'));
    const documents = await Promise.all(files.map(async (file) => snippetsOf(file, await readFile(join(root, file), 'utf8'))));
    const all = documents.flat();
    const found = [...all.flatMap(markProblems), ...(await typeProblems(root, all.filter((snippet) => snippet.language === 'ts')))];
    for (const snippets of documents) if (snippets.some(({ language }) => language === 'sh' || language === 'console')) found.push(...(await runProblems(root, snippets)));
    return found;
  },
};
