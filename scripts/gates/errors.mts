import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERROR_CODES, type ErrorCodeFacts } from '../../packages/sdk/src/errors/codes.js';
import { repositoryFiles, type Gate } from './gate.mjs';

export interface ErrorPage {
  readonly code: string;
  readonly line: number;
  readonly text: string;
}

/** The entries of `docs/errors.md`: each begins with a heading that is a code. */
export function errorPages(markdown: string): readonly ErrorPage[] {
  const pages: { code: string; line: number; text: string }[] = [];
  for (const [index, line] of markdown.split('\n').entries()) {
    const code = /^### `([a-z_]+)`$/.exec(line)?.[1];
    if (code !== undefined) pages.push({ code, line: index + 1, text: '' });
    else if (/^#{1,2} /.test(line)) pages.push({ code: '', line: index + 1, text: '' });
    else if (pages.length > 0) pages[pages.length - 1]!.text += `${line}\n`;
  }
  return pages.filter((page) => page.code !== '');
}

export function errorPageProblems(codes: Readonly<Record<string, ErrorCodeFacts>>, markdown: string): readonly string[] {
  const pages = errorPages(markdown);
  const seen = new Set<string>();
  const found: string[] = [];
  for (const page of pages) {
    const facts = codes[page.code];
    if (facts === undefined) found.push(`docs/errors.md:${page.line} describes ${page.code}, which is no error code`);
    else if (!page.text.includes(`Exit status ${facts.exit}.`)) found.push(`docs/errors.md:${page.line} ${page.code} must say: Exit status ${facts.exit}.`);
    if (seen.has(page.code)) found.push(`docs/errors.md:${page.line} describes ${page.code} a second time`);
    seen.add(page.code);
    for (const part of ['**Cause.**', '**What to do.**']) if (!page.text.includes(part)) found.push(`docs/errors.md:${page.line} ${page.code} has no ${part}`);
  }
  for (const code of Object.keys(codes)) if (!seen.has(code)) found.push(`docs/errors.md has no entry for ${code}`);
  return found;
}

/** Warnings that a source gives (`warn('…'`) and the table of the document does not name. */
export function warningProblems(source: string, markdown: string): readonly string[] {
  const given = new Set(Array.from(source.matchAll(/\bwarn\(\s*'([a-z_]+)'/g), ([, code = '']) => code));
  return [...given].filter((code) => !markdown.includes(`\n| \`${code}\` |`)).map((code) => `docs/errors.md does not name the warning ${code}`);
}

export const errors: Gate = {
  name: 'errors',
  proves: 'docs/errors.md has one entry, with cause and remedy, per error code and none besides, and names the warnings',
  problems: async (root) => {
    const markdown = await readFile(join(root, 'docs/errors.md'), 'utf8');
    const sources = (await repositoryFiles(root, 'packages/*.ts')).filter((file) => file.includes('/src/'));
    const source = (await Promise.all(sources.map((file) => readFile(join(root, file), 'utf8')))).join('\n');
    return [...errorPageProblems(ERROR_CODES, markdown), ...warningProblems(source, markdown)];
  },
};
