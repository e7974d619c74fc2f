import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { linkProblems } from '../docs/links.mjs';
import { runProblems } from '../docs/run-snippets.mjs';
import { snippetsOf, type Snippet } from '../docs/snippets.mjs';
import { typeProblems } from '../docs/typed-snippets.mjs';
import { repositoryFiles, type Gate } from './gate.mjs';

const MARKS: Readonly<Record<string, RegExp>> = { ts: /^(|[\w./-]+\.(ts|mts))$/, js: /^$/, sh: /^(|clone|unchecked)$/, console: /^$/, json: /^/, text: /^/ };

function markProblems(snippet: Snippet): readonly string[] {
  const allowed = MARKS[snippet.language];
  if (allowed === undefined) return [`${snippet.file}:${snippet.line} a snippet in "${snippet.language}" is not checked; use ${Object.keys(MARKS).join(', ')}`];
  return allowed.test(snippet.mark) ? [] : [`${snippet.file}:${snippet.line} the mark "${snippet.mark}" means nothing`];
}

function syntaxProblems({ file, line, code }: Snippet): readonly string[] {
  return parseSync('snippet.mjs', code).errors.map((error) => `${file}:${line} is no JavaScript: ${error.message}`);
}

export const docs: Gate = {
  name: 'docs',
  proves: 'links lead somewhere, snippets type-check, and commands print what is shown',
  afterBuild: true,
  problems: async (root) => {
    const files = (await repositoryFiles(root, '*.md')).filter((file) => !file.startsWith('.changeset/') && !file.endsWith('CHANGELOG.md'));
    const texts = await Promise.all(files.map(async (file) => ({ file, markdown: await readFile(join(root, file), 'utf8') })));
    const documents = texts.map(({ file, markdown }) => snippetsOf(file, markdown));
    const all = documents.flat();
    const links = await Promise.all(texts.map(({ file, markdown }) => linkProblems(root, file, markdown)));
    const found = [...links.flat(), ...all.flatMap(markProblems), ...all.filter(({ language }) => language === 'js').flatMap(syntaxProblems), ...(await typeProblems(root, all.filter((snippet) => snippet.language === 'ts')))];
    for (const snippets of documents) if (snippets.some(({ language }) => language === 'sh' || language === 'console')) found.push(...(await runProblems(root, snippets)));
    return found;
  },
};
