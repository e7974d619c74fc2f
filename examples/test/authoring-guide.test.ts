/** Every TypeScript snippet of the authors' guide runs. That they type-check is the documents' own check. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRuntime, sealFlow } from '@relayflows/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { example, Practice } from './practice.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Snippet {
  readonly name: string;
  readonly source: string;
}

/** A block without a default export is the inside of a body. */
function snippets(markdown: string): Snippet[] {
  return Array.from(markdown.matchAll(/^( *)```ts\b.*\n([^]*?)^ *```$/gm), ({ 1: indent = '', 2: block = '', index }) => {
    const code = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const name = /flow(?:<.*>)?\(\s*'([a-z-]+)'/.exec(code)?.[1] ?? `line-${markdown.slice(0, index).split('\n').length}`;
    return { name, source: code.includes('export default') ? code : asFlow(name, code) };
  });
}

function asFlow(name: string, code: string): string {
  const ending = /^f\.done\(/m.test(code) ? '' : "f.done('success');\n";
  return `import { flow } from '@relayflows/surface';\n\nexport default flow('${name}', async (f) => {\n${code}${ending}});\n`;
}

/** What a snippet ends with, given an empty input, when it is not `success`. The last one asks a person first. */
const ENDINGS: Readonly<Record<string, string>> = { titled: 'needs_human', filtered: 'declined' };

it('the snippets of docs/authoring.md run', async () => {
  const all = snippets(await readFile(join(ROOT, 'docs/authoring.md'), 'utf8'));
  expect(all.length).toBeGreaterThan(15);
  const practice = await Practice.create();
  const folder = join(practice.folder, 'guide');
  await mkdir(join(folder, 'node_modules/@relayflows'), { recursive: true });
  await symlink(join(ROOT, 'packages/surface'), join(folder, 'node_modules/@relayflows/surface'));
  for (const { name, source } of all) await writeFile(join(folder, `${name}.flow.ts`), source);

  const env = { ...process.env, PATH: `${example('agents')}${delimiter}${process.env['PATH']}` };
  const runtime = createRuntime({ dataDir: join(practice.folder, 'data'), env });
  onTestFinished(() => runtime.close());
  for (const { name, source } of all) {
    const report = await runtime.run(await sealFlow(join(folder, `${name}.flow.ts`)), { input: {}, cwd: practice.work }).result;
    const ending = source.includes('f.human(') ? 'needs_human' : ENDINGS[name] ?? 'success';
    expect(report, `${name}: ${JSON.stringify(report.diagnostics)}`).toMatchObject({ completionReason: ending });
  }
});
