import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import type { Snippet } from './snippets.mjs';

const COMPILER_OPTIONS = {
  noEmit: true,
  strict: true,
  target: 'es2023',
  lib: ['es2023'],
  module: 'nodenext',
  types: ['node'],
  skipLibCheck: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
};

const BODY_HEAD = "import { flow } from '@relayflows/surface'; export default flow<any>('snippet', async (f, input) => {";

function fileNameOf(snippet: Snippet): string {
  return snippet.mark === '' ? `line-${snippet.line}.flow.ts` : snippet.mark;
}

/** The module a snippet stands for. It begins on the snippet's first line, so that the compiler's line numbers fit the document's. */
function moduleOf(snippet: Snippet): string {
  const isModule = snippet.mark !== '' || /^(import|export)\b/m.test(snippet.code);
  return isModule ? `export {};\n${snippet.code}` : `${BODY_HEAD}\n${snippet.code}\nvoid input; });`;
}

/** What the compiler says of the TypeScript snippets, in the places of the documents. */
export async function typeProblems(root: string, snippets: readonly Snippet[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'relayflows-docs-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['**/*.ts', '**/*.mts'], exclude: ['node_modules'] }));
    const origins = new Map<string, Snippet>();
    for (const snippet of snippets) {
      const path = join(snippet.file.replaceAll('/', '--'), fileNameOf(snippet));
      if (origins.has(path)) return [`${snippet.file}:${snippet.line} uses the name ${snippet.mark} a second time`];
      origins.set(path, snippet);
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), moduleOf(snippet));
    }
    const result = await execa('tsc', ['-p', folder, '--pretty', 'false'], { cwd: folder, preferLocal: true, localDir: root, reject: false, all: true });
    if (!result.failed) return [];
    return result.all.split('\n').map((line) => {
      const place = /^(.+?)\((\d+),(\d+)\): (.*)$/.exec(line);
      const origin = place === null ? undefined : origins.get(place[1] ?? '');
      return place === null || origin === undefined ? line : `${origin.file}:${origin.line + Number(place[2]) - 1}:${place[3]} ${place[4]}`;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
