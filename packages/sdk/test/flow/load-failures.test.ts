import { describe, expect, it, vi } from 'vitest';
import { sealFlow } from '../../src/flow/seal.js';
import { failure, flowFile, folder } from './folder.js';
import { ownNode } from './own-node.js';

async function refusal(files: Readonly<Record<string, string>>) {
  const at = folder(files);
  const error = await failure(sealFlow(at('main.flow.ts'), { moduleDir: at('data/modules') }));
  return { at, error, text: error.text.replaceAll(at('/'), '~/') };
}

const SURFACE = "import { flow } from '@relayflows/surface';\n";

describe('source that does not parse', () => {
  it('is shown with its place and its line', async () => {
    const { error, text, at } = await refusal({ 'main.flow.ts': `${SURFACE}\nconst naïve = "日本" let x;\nexport default flow('x', async () => {});\n` });
    expect(error.code).toBe('invalid_spec');
    expect(text).toBe([
      '~/main.flow.ts cannot be bundled.',
      '~/main.flow.ts:3:20: Expected ";" but found "let"',
      '  3 | const naïve = "日本" let x;',
      '    |                    ^',
    ].join('\n'));
    expect(error.evidence).toMatchObject({ path: at('main.flow.ts'), line: 3, column: 20 });
  });

  it('is named in the file it is in, all problems at once', async () => {
    const { text, error } = await refusal({
      'main.flow.ts': `${SURFACE}import './lib/broken.ts';\nimport './gone.ts';\nimport './notes.md';\nexport default flow('x', async () => {});\n`,
      'lib/broken.ts': 'export const a = ;',
      'notes.md': '# notes',
    });
    expect(text).toContain('~/lib/broken.ts:1:18: Unexpected ";"');
    expect(text).toContain('~/main.flow.ts:3:8: Could not resolve "./gone.ts"');
    expect(text).toContain('~/main.flow.ts:4:8: No loader is configured for ".md" files: notes.md');
    expect(error.evidence['problems']).toHaveLength(3);
  });

  it('counts columns as an editor does, behind a byte order mark, tabs and Windows line ends', async () => {
    const { error, text } = await refusal({ 'main.flow.ts': `\uFEFFlet a = 1;\r\n\tlet b = ;\r\n` });
    expect(error.evidence).toMatchObject({ line: 2, column: 10 });
    expect(text).toContain('  2 | \tlet b = ;\n    | \t        ^');
  });

  it('is cut around its place when the line is long', async () => {
    const { text } = await refusal({ 'main.flow.ts': `const list = [${'1,'.repeat(5000)}];;let let = 1;${'//'.repeat(5000)}` });
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(200);
  });
});

describe('imports that lead nowhere', () => {
  it('name the package, its place and what to install', async () => {
    const { error, text } = await refusal({ 'main.flow.ts': `${SURFACE}import { z } from 'not-installed/v4';\nexport default flow('x', async () => void z);\n` });
    expect(error.code).toBe('invalid_spec');
    expect(text).toBe([
      '~/main.flow.ts imports what is not there.',
      '~/main.flow.ts:2:19: "not-installed/v4" is not installed where the flow lies',
      "  2 | import { z } from 'not-installed/v4';",
      '    |                   ^',
    ].join('\n'));
    expect(error.hint).toBe("Run npm install not-installed in the flow's repository.");
  });

  it('say that aliases and URLs are not followed', async () => {
    const alias = await refusal({ 'main.flow.ts': `${SURFACE}import '@/lib/x';\nexport default flow('x', async () => {});` });
    expect(alias.error.hint).toBe('Write a relative path: path aliases of a tsconfig.json are not read.');
    const url = await refusal({ 'main.flow.ts': `${SURFACE}import 'https://example.com/x.js';\nexport default flow('x', async () => {});` });
    expect(url.text).toContain('"https://example.com/x.js" is a URL');
  });

  it('names an export that a package does not have', async () => {
    const { text } = await refusal({ 'main.flow.ts': "import { flow, flwo } from '@relayflows/surface';\nexport default flow('x', async () => { flwo(); });" });
    expect(text).toContain("The requested module '@relayflows/surface' does not provide an export named 'flwo'");
  });
});

describe('a top level that fails', () => {
  it('is shown with cause, place and line, through files it imports', async () => {
    const { error, text, at } = await refusal({
      'main.flow.ts': `${SURFACE}import { check } from './lib/check.ts';\ninterface Unused { a: string }\ncheck(undefined);\nexport default flow('x', async () => {});`,
      'lib/check.ts': 'type T = unknown;\n\nexport function check(value: T): void {\n  if (value === undefined) throw new RangeError(`no value`);\n}\n',
    });
    expect(error.code).toBe('invalid_spec');
    expect(text).toBe([
      '~/main.flow.ts cannot be loaded: no value',
      'at ~/lib/check.ts:4:34',
      '  4 |   if (value === undefined) throw new RangeError(`no value`);',
      '    |                                  ^',
    ].join('\n'));
    expect(error.evidence).toMatchObject({ path: at('lib/check.ts'), line: 4, column: 34 });
    expect(error.evidence['stack']).toContain(`at check (${at('lib/check.ts')}:4:34)`);
    expect(error.evidence['stack']).toContain(`${at('main.flow.ts')}:4:1`);
    expect(error.cause).toBeInstanceOf(RangeError);
  });

  it.each([['null', 'it threw null'], ["'a string'", 'it threw a string'], ['{ code: 1 }', 'it threw [object Object]']])('may throw %s', async (thrown, said) => {
    const { text } = await refusal({ 'main.flow.ts': `${SURFACE}throw ${thrown};\nexport default flow('x', async () => {});` });
    expect(text).toBe(`~/main.flow.ts cannot be loaded: ${said}`);
  });

  it('points to the flow() call when the header is wrong', async () => {
    const { error, text } = await refusal({ 'main.flow.ts': `${SURFACE}\nexport default flow('x', { bugdet: '$5/run' } as never, async () => {});` });
    expect(error.code).toBe('unsupported_header');
    expect(text).toContain('bugdet');
    expect(text).toContain('at ~/main.flow.ts:3:16');
  });

  it('may not take for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const at = folder({ 'main.flow.ts': flowFile('main', {}, 'await new Promise(() => {});') });
    const failing = failure(sealFlow(at('main.flow.ts')));
    let settled = false;
    failing.finally(() => { settled = true; }).catch(() => undefined);
    while (!settled) {
      await new Promise((next) => setImmediate(next));
      vi.advanceTimersByTime(30_000);
    }
    vi.useRealTimers();
    expect(await failing).toMatchObject({ code: 'invalid_spec', text: `The top level of ${at('main.flow.ts')} did not finish within 30 s.` });
  });

  it('may be corrected in the same process', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main', {}, "if ((globalThis as any).ready !== true) throw new Error('not ready');") });
    expect((await failure(sealFlow(at('main.flow.ts')))).code).toBe('invalid_spec');
    Object.assign(globalThis, { ready: true });
    expect((await sealFlow(at('main.flow.ts'))).root.path).toBe('main.flow.ts');
  });
});

describe('a default export that is no flow', () => {
  it.each([
    ["export const named = flow('x', async () => {});", 'has no default export'],
    ['export default 5;', 'exports a number as its default'],
    ['export default null;', 'exports null as its default'],
    ['export default {};', 'exports an object as its default'],
    ['export default async () => {};', 'exports a function as its default'],
    ["export default { ...flow('x', async () => {}) };", 'expected an @relayflows/surface flow handle'],
    ["export default flow('x');", 'has no body'],
    ["export default flow(' ', async () => {});", 'needs a name that is not blank'],
  ])('%s', async (code, said) => {
    const { error, text } = await refusal({ 'main.flow.ts': SURFACE + code });
    expect(error.code).toBe('invalid_spec');
    expect(text).toContain(said);
    expect(error.hint).not.toBe('');
  });

  it('is a promise', async () => {
    const at = folder({ 'main.flow.ts': `${SURFACE}export default Promise.resolve(flow('x', async () => {}));` });
    const { stdout } = await ownNode('await sealFlow(args[0]).catch((error) => console.log(error.message))', { args: [at('main.flow.ts')] });
    expect(stdout).toBe(`invalid_spec: ${at('main.flow.ts')} exports a promise as its default, not a flow.\n`);
  });

  it('names the surface that a look-alike came from', async () => {
    const { error, at } = await refusal({
      'main.flow.ts': `${SURFACE}export default flow('x', async () => {});`,
      'node_modules/@relayflows/surface/package.json': '{ "name": "@relayflows/surface", "version": "9.0.0", "type": "module", "exports": "./index.js" }',
      'node_modules/@relayflows/surface/index.js': 'export const flow = (name, body) => Object.freeze({ name, body, on() {} });',
    });
    expect(error.hint).toContain(at('node_modules/@relayflows/surface/index.js'));
  });
});
