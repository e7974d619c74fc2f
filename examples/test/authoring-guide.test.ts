/** Every snippet of the authors' guide type-checks and runs. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Practice } from './practice.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const guide = await readFile(join(ROOT, 'docs/authoring.md'), 'utf8');

interface Snippet {
  readonly file: string;
  readonly line: number;
  readonly source: string;
}

/** A block without a default export is the inside of a body. */
function snippets(markdown: string): Snippet[] {
  return Array.from(markdown.matchAll(/^( *)```ts\n([^]*?)^ *```$/gm), ({ 1: indent = '', 2: block = '', index }) => {
    const line = markdown.slice(0, index).split('\n').length;
    const code = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const name = /flow(?:<.*>)?\(\s*'([a-z-]+)'/.exec(code)?.[1];
    return { line, file: `${name ?? `line-${line}`}.flow.ts`, source: code.includes('export default') ? code : asFlow(code, line) };
  });
}

function asFlow(code: string, line: number): string {
  const ending = code.includes("f.done('success'") || code.includes('f.done(lint') ? '' : "f.done('success');\n";
  return `import { flow } from '@relayflows/surface';\n\nexport default flow('line-${line}', async (f) => {\n${code}${ending}});\n`;
}

const all = snippets(guide);

async function practiceWithSnippets(): Promise<Practice> {
  const practice = await Practice.create();
  const folder = join(practice.folder, 'guide');
  await mkdir(join(folder, 'node_modules/@relayflows'), { recursive: true });
  await symlink(join(ROOT, 'packages/surface'), join(folder, 'node_modules/@relayflows/surface'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const { file, source } of all) await writeFile(join(folder, file), source);
  return practice;
}

it('the guide has snippets, each under a name of its own', () => {
  expect(all.length).toBeGreaterThan(15);
  expect(new Set(all.map(({ file }) => file)).size).toBe(all.length);
});

it('they type-check as an author would check them', async () => {
  const practice = await practiceWithSnippets();
  const folder = join(practice.folder, 'guide');
  const config = { compilerOptions: { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: [] }, include: ['*.flow.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const check = promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  await check.catch((error: unknown) => expect.fail((error as { stdout: string }).stdout));
});

it.each(all)('line $line runs ($file)', async ({ file, source }) => {
  const practice = await practiceWithSnippets();
  const end = await practice.report(['run', join(practice.folder, 'guide', file), '--input', '{}']);
  const expected = source.includes('f.human(') ? { status: 'parked' } : { completionReason: EXPECTED[file] ?? 'success' };
  expect(end).toMatchObject(expected);
});

/** What a snippet ends with, given an empty input, when it is not `success`. */
const EXPECTED: Readonly<Record<string, string>> = { 'titled.flow.ts': 'needs_human', 'filtered.flow.ts': 'declined' };
