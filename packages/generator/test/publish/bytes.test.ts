import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DraftInput } from '../../src/draft/schema.js';
import { generate } from '../../src/generate.js';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const DRAFT = join(PACKAGE, 'drafts/software-garden.json');
const MODULES = realpathSync(join(PACKAGE, '../../node_modules'));

/** Lets a process see every folder in reverse, as another file system might list it, and tells how often it looked. */
const REVERSING = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
let looked = 0;
const { readdirSync, readdir } = fs;
const reversed = (names) => (looked += 1, [...names].sort((a, b) => ((a.name ?? a) < (b.name ?? b) ? 1 : -1)));
fs.readdirSync = (...args) => reversed(readdirSync(...args));
fs.readdir = (path, options, callback) => readdir(path, typeof options === 'function' ? undefined : options, (error, names) => (callback ?? options)(error, names && reversed(names)));
syncBuiltinESMExports();
process.on('exit', () => process.stderr.write(\`looked \${looked}\`));
`;

let above = '';
beforeAll(() => (above = mkdtempSync(join(tmpdir(), 'relayflows-bytes-'))));
afterAll(() => rmSync(above, { recursive: true, force: true, maxRetries: 5 }));

interface Circumstances {
  /** The folder that the package lies in. */
  readonly place?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly reversed?: boolean;
}

function generated({ place, cwd = above, env = {}, reversed = false }: Circumstances): { readonly source: string; readonly said: string } {
  const root = place === undefined ? PACKAGE : join(above, place, 'generator');
  if (place !== undefined) {
    for (const name of ['package.json', 'shell', 'src', 'template']) cpSync(join(PACKAGE, name), join(root, name), { recursive: true });
    symlinkSync(MODULES, join(above, place, 'node_modules'));
  }
  const folder = mkdtempSync(join(above, 'child-'));
  writeFileSync(join(folder, 'reversing.mjs'), reversed ? REVERSING : '');
  writeFileSync(join(folder, 'child.mjs'), [
    "import { readFileSync } from 'node:fs';",
    `import { generate } from ${JSON.stringify(pathToFileURL(join(root, 'src/generate.ts')).href)};`,
    `process.stdout.write(generate(JSON.parse(readFileSync(${JSON.stringify(DRAFT)}, 'utf8'))));`,
  ].join('\n'));
  const modules = [pathToFileURL(join(folder, 'reversing.mjs')).href, import.meta.resolve('tsx')].flatMap((url) => ['--import', url]);
  const { stdout, stderr } = spawnSync(process.execPath, [...modules, join(folder, 'child.mjs')], { cwd, env: { ...process.env, ...env }, encoding: 'utf8' });
  return { source: stdout, said: stderr };
}

describe('the flow of a draft has the same bytes', () => {
  const here = generate(JSON.parse(readFileSync(DRAFT, 'utf8')) as DraftInput);

  it.each<[string, Circumstances]>([
    ['in a folder with blanks, brackets and signs in its name', { place: "odd [a-z] (b) {c,d} !e 'f' ü" }],
    ['in another language, zone and country', { env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' } }],
    ['without a language at all', { env: { LC_ALL: 'C', LANG: 'C' } }],
    ['from the root of the file system', { cwd: '/' }],
  ])('%s', (_, circumstances) => {
    expect(generated(circumstances)).toEqual({ source: here, said: '' });
  });

  it('from a folder that has a TypeScript configuration of its own', () => {
    const cwd = join(above, 'configured');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'tsconfig.json'), '{ "compilerOptions": { "newLine": "crlf", "target": "es5" } }');
    writeFileSync(join(cwd, 'package.json'), '{ "type": "commonjs" }');
    expect(generated({ cwd })).toEqual({ source: here, said: '' });
  });

  it('where the file system lists files in another order', () => {
    const { source, said } = generated({ reversed: true });
    expect(source).toBe(here);
    expect(Number(/^looked (\d+)$/.exec(said)?.[1])).toBeGreaterThan(0);
  });
});
