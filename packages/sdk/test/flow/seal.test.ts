import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadSealed } from '../../src/flow/load.js';
import { sealFlow } from '../../src/flow/seal.js';
import { failure, flowFile, folder } from './folder.js';

async function seal(at: (name?: string) => string, name = 'main.flow.ts') {
  return sealFlow(at(name), { moduleDir: at('data/modules') });
}

describe('what a sealed flow holds', () => {
  it('has the code with bare imports bare and relative ones inlined', async () => {
    const at = folder({
      'main.flow.ts': flowFile('main', {}, "import { half } from './lib/half.ts';\nimport { readFileSync } from 'node:fs';\nvoid half(2), void readFileSync;"),
      'lib/half.ts': 'export const half = (n: number): number => n / 2;',
    });
    const { root, path } = await seal(at);
    expect(path).toBe(at('main.flow.ts'));
    expect(root.path).toBe('main.flow.ts');
    expect(root.code).toContain('from "@relayflows/surface"');
    expect(root.code).toContain('var half = (n) => n / 2;');
    expect(root.dependencies.map(({ specifier, version }) => [specifier, version])).toEqual([['@relayflows/surface', '0.1.0'], ['node:fs', undefined]]);
  });

  it('contains no absolute path apart from those of the checkout it was sealed in', async () => {
    const at = folder({
      'main.flow.ts': flowFile('main', {}, "import './cjs.cjs';\nimport data from './data.json';\nimport text from './note.txt';\nvoid [import.meta.url, data, text];"),
      'cjs.cjs': "module.exports = require('node:os');",
      'data.json': '{"a":1}',
      'note.txt': 'hello',
    });
    const { root } = await seal(at);
    expect(root.code).not.toContain(at());
    expect(root.map).not.toContain(at());
    expect(root.code).toContain('var note_default = "hello"');
  });
});

describe('the digest', () => {
  const files = {
    'main.flow.ts': flowFile('main', { use: ['./child.flow.ts'] }, "import { x } from './lib/x.ts';\nvoid x, void import.meta.url;"),
    'lib/x.ts': 'export const x: number = Math.random();',
    'child.flow.ts': flowFile('child'),
  };
  const digest = async (changed: Record<string, string> = {}) => (await seal(folder({ ...files, ...changed }))).digest;

  it('is the same in every folder', async () => {
    expect(await digest()).toBe(await digest());
  });

  it('does not depend on the folder the process runs in, nor on files beside the flow', async () => {
    const at = folder({
      ...files,
      'tsconfig.json': '{ "compilerOptions": { "target": "es5", "experimentalDecorators": true, "paths": { "./lib/*": ["./nowhere/*"] } }, "extends": "./missing.json" }',
      'package.json': '{ "type": "commonjs", "sideEffects": false, "browser": { "./lib/x.ts": false } }',
    });
    expect((await seal(at)).digest).toBe(await digest());
  });

  it('does not depend on line ends', async () => {
    const crlf = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll('\n', '\r\n')]));
    expect(await digest(crlf)).toBe(await digest());
  });

  it('does not depend on comments and types', async () => {
    expect(await digest({ 'lib/x.ts': '// The generator.\n/** Chance. */\ntype Chance = 1;\nexport const x: number | Chance = Math.random(); // really' })).toBe(await digest());
  });

  it('covers the files it imports', async () => {
    expect(await digest({ 'lib/x.ts': 'export const x: number = 2;' })).not.toBe(await digest());
  });

  it('covers its children', async () => {
    expect(await digest({ 'child.flow.ts': flowFile('child', { version: '2.0.0' }) })).not.toBe(await digest());
  });

  it('is the same when the file is reached through a symbolic link', async () => {
    const at = folder(files);
    const linked = folder();
    symlinkSync(at(), linked('checkout'));
    symlinkSync(at('main.flow.ts'), linked('other.flow.ts'));
    const direct = await seal(at);
    expect((await sealFlow(linked('checkout/main.flow.ts'))).digest).toBe(direct.digest);
    expect((await sealFlow(linked('other.flow.ts'))).path).toBe(at('main.flow.ts'));
  });
});

describe('names and contents that are easily mishandled', () => {
  it.each(['.flow.ts', '.flow.mts', '.flow.js', '.flow.mjs'])('the ending %s', async (ending) => {
    const at = folder({ [`main${ending}`]: flowFile('main') });
    expect((await loadSealed(await sealFlow(at(`main${ending}`)))).name).toBe('main');
  });

  it('a byte order mark and Windows line ends', async () => {
    const at = folder({ 'main.flow.ts': `\uFEFF${flowFile('main').replaceAll('\n', '\r\n')}` });
    expect((await loadSealed(await seal(at))).name).toBe('main');
  });

  it('a very large file', async () => {
    const rows = Array.from({ length: 60_000 }, (_, index) => `  { id: ${index}, text: \`row \${${index}}\` },`);
    const at = folder({ 'main.flow.ts': flowFile('main', {}, `const rows = [\n${rows.join('\n')}\n];\nif (rows.length !== 60000) throw new Error('cut');`) });
    expect((await loadSealed(await seal(at))).name).toBe('main');
  });
});

describe('the language', () => {
  async function top(code: string, files: Record<string, string> = {}) {
    const at = folder({ 'main.flow.ts': flowFile('main', {}, code), ...files });
    return (await loadSealed(await seal(at))).name;
  }

  it('has enums, decorators, namespaces and parameter properties', async () => {
    expect(await top(`
      enum Level { Low = 1, High }
      namespace Names { export const first = 'a'; }
      function seen(value: unknown, context: ClassMemberDecoratorContext | ClassDecoratorContext) { seenNames.push(String(context.name)); return value as never; }
      const seenNames: string[] = [];
      @seen class Person { constructor(readonly name: string) {} @seen greet() { return this.name; } }
      if (new Person('x').greet() !== 'x' || Level.High !== 2 || Names.first !== 'a' || seenNames.join() !== 'greet,Person') throw new Error(seenNames.join());
    `)).toBe('main');
  });

  it('has await at the top level', async () => {
    expect(await top("import { readFile } from 'node:fs/promises';\nawait readFile(import.meta.filename, 'utf8');")).toBe('main');
  });

  it('forgets imports of types alone', async () => {
    expect(await top("import type { Unknown } from 'not-installed';\nimport { type Other } from 'not-installed-either';\nexport let x: Unknown | Other;")).toBe('main');
  });

  it('may import a process module and a CommonJS file that requires one', async () => {
    expect(await top("import { execFileSync } from 'node:child_process';\nimport os from './os.cjs';\nif (execFileSync('echo', ['x']).length !== 2 || os.EOL !== '\\n') throw new Error();", {
      'os.cjs': "module.exports = require('node:os');",
    })).toBe('main');
  });

  it('keeps an import for its effect, whatever the package.json says', async () => {
    expect(await top("import './effect.ts';\nif ((globalThis as any).effect !== 1) throw new Error('dropped');\ndelete (globalThis as any).effect;", {
      'effect.ts': '(globalThis as any).effect = 1;',
      'package.json': '{ "sideEffects": false }',
    })).toBe('main');
  });

  it('follows a default export through another file, also in a circle', async () => {
    const at = folder({
      'main.flow.ts': "export { default, name } from './real.ts';",
      'real.ts': "import { flow } from '@relayflows/surface';\nimport * as self from './main.flow.ts';\nexport const name = 'real';\nexport default flow(name, async () => { void self.name; });",
    });
    expect((await loadSealed(await seal(at))).name).toBe('real');
  });

  it('may name its own console, require and import.meta-like variables', async () => {
    expect(await top(`
      import { createRequire } from 'node:module';
      import './os.cjs';
      const require = createRequire(import.meta.url);
      function inner(console: { log(x: string): void }) { console.log('x'); }
      inner({ log() {} });
      if (require('node:path').sep !== '/') throw new Error();
      const text = \`import x from "y"; import.meta.url import("z")\`;
      if (text !== 'import x from "y"; import.' + 'meta.url import' + '("z")') throw new Error(text);
    `, { 'os.cjs': "module.exports = require('node:os');" })).toBe('main');
  });
});

describe('sealing at the same time', () => {
  it('gives the same flow twice and runs its top level once', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main', {}, "(globalThis as any).topRuns = ((globalThis as any).topRuns ?? 0) + 1;") });
    const sealed = await Promise.all(Array.from({ length: 8 }, () => seal(at)));
    const loaded = await Promise.all(sealed.map((each) => loadSealed(each, { moduleDir: at('data/modules') })));
    expect(new Set(sealed.map(({ digest }) => digest)).size).toBe(1);
    expect(new Set(loaded.map(({ definition }) => definition.body)).size).toBe(1);
    expect((globalThis as { topRuns?: number }).topRuns).toBe(1);
  });

  it('sees an edit', async () => {
    const at = folder({ 'main.flow.ts': flowFile('before') });
    const before = await loadSealed(await seal(at));
    cpSync(folder({ 'x.flow.ts': flowFile('after') })('x.flow.ts'), at('main.flow.ts'));
    expect([before.name, (await loadSealed(await seal(at))).name]).toEqual(['before', 'after']);
  });
});

describe('a path that is no flow', () => {
  it.each(['main.ts', 'flow.ts', 'main.flow.tsx', 'main.flow.ts.bak'])('%s is refused for its name', async (name) => {
    const error = await failure(seal(folder({ [name]: flowFile('main') }), name));
    expect(error).toMatchObject({ code: 'invalid_spec', exitCode: 2 });
    expect(error.text).toContain('is not named like a flow');
  });

  it('suggests the file that was meant', async () => {
    const at = folder({ 'release-notes.flow.ts': flowFile('x') });
    expect((await failure(seal(at, 'relase-notes.flow.ts'))).hint).toBe(`Did you mean ${at('release-notes.flow.ts')}?`);
  });

  it('refuses a folder, a file below a file, and a dangling link', async () => {
    const at = folder({ 'file.flow.ts': flowFile('x') });
    mkdirSync(at('folder.flow.ts'));
    symlinkSync(at('gone'), at('link.flow.ts'));
    for (const name of ['folder.flow.ts', 'file.flow.ts/x.flow.ts', 'link.flow.ts']) {
      expect((await failure(seal(at, name))).code).toBe('invalid_spec');
    }
  });
});
