import { describe, expect, it } from 'vitest';
import { isBare, packageName, packageOf, resolvePackage } from '../../src/flow/resolve-package.js';
import { folder } from './folder.js';
import { ownNode } from './own-node.js';

const MANIFESTS: Readonly<Record<string, object>> = {
  plain: { version: '1.0.0' },
  'main-file': { main: 'lib/main.js' },
  'main-bare': { main: './lib/main' },
  'main-folder': { main: 'lib' },
  'main-missing': { main: './gone.js' },
  text: { exports: './lib/main.js' },
  conditions: { exports: { require: './no.cjs', browser: './no.js', import: { node: './lib/main.js', default: './index.js' }, default: './index.js' } },
  'types-first': { exports: { '.': { types: './index.d.ts', default: './index.js' } } },
  subpaths: { exports: { '.': './index.js', './a': './lib/main.js', './deep/*': './lib/*.js', './deep/x/*': './lib/x/*.js', './closed/*': null, './all/*.js': './lib/*.js' } },
  fallback: { exports: { '.': ['bad', { 'no-such': './no.js' }, './lib/main.js'] } },
  blocked: { exports: { '.': { import: null, default: './index.js' } } },
  'null-exports': { exports: null },
  missing: { exports: { '.': './gone.js', './up/*': './lib/*' } },
  outside: { exports: { '.': '../plain/index.js', './x': 'plain' } },
  '@scope/name': { exports: { '.': './index.js', './a': './lib/main.js' } },
};

const SPECIFIERS = [
  ...Object.keys(MANIFESTS),
  'plain/lib/main.js', 'plain/lib/main', 'plain/', 'plain/lib', 'plain/package.json', 'plain/lib/sp%20ace.js',
  'text/lib/main.js', 'subpaths/a', 'subpaths/b', 'subpaths/deep/main', 'subpaths/deep/x/y', 'subpaths/deep/', 'subpaths/closed/main', 'subpaths/all/main.js', 'subpaths/package.json',
  'missing/up/../main.js', 'missing/up/main.js', '@scope/name/a', '@scope/name/b', '@scope', '@scope/', 'self', 'self/part', 'self/other', 'absent', 'absent/x', 'fs', 'fs/promises', 'node:test',
];

it('finds what Node finds', async () => {
  const at = folder(Object.fromEntries<string>([
    ...Object.entries(MANIFESTS).flatMap(([name, manifest]): [string, string][] => [
      [`repo/node_modules/${name}/package.json`, JSON.stringify({ name, ...manifest })],
      ...['index.js', 'index.d.ts', 'no.js', 'lib/main.js', 'lib/index.js', 'lib/x/y.js', 'lib/sp ace.js'].map((file): [string, string] => [`repo/node_modules/${name}/${file}`, '']),
    ]),
    ['repo/package.json', JSON.stringify({ name: 'self', exports: { '.': './self.js', './part': './part.js' } })],
    ['repo/self.js', ''], ['repo/part.js', ''], ['repo/node_modules/no-manifest/index.js', ''], ['repo/flows/keep', ''], ['node_modules/absent/index.js', ''],
  ]));
  const names = [...SPECIFIERS, 'no-manifest'];
  const { stdout, stderr } = await ownNode(`
    import { existsSync, writeFileSync, statSync } from 'node:fs';
    import { fileURLToPath } from 'node:url';
    writeFileSync(args[0], 'export const find = (name) => import.meta.resolve(name);');
    const { find } = await import(args[0]);
    const exists = (url) => !url.startsWith('file:') || statSync(fileURLToPath(url), { throwIfNoEntry: false })?.isFile() === true;
    console.log(JSON.stringify(JSON.parse(args[1]).map((name) => { try { const url = find(name); return exists(url) ? url : null; } catch { return null; } })));
  `, { args: [at('repo/flows/ask.mjs'), JSON.stringify(names)], env: { NODE_NO_WARNINGS: '1' } });
  expect(stderr).toBe('');
  const found = JSON.parse(stdout) as (string | null)[];
  const byNode = Object.fromEntries(names.map((name, index): [string, string | null] => [name, found[index] ?? null]));
  expect(Object.fromEntries(names.map((name) => [name, resolvePackage(name, at('repo/flows'))?.url ?? null]))).toEqual(byNode);
});

describe('what is found', () => {
  it('has the name and the version of its package', () => {
    const at = folder({
      'node_modules/alias/package.json': '{ "name": "real", "version": "3.2.1", "exports": "./esm/index.js" }',
      'node_modules/alias/esm/index.js': '',
      'node_modules/alias/esm/package.json': '{ "type": "module" }',
      'node_modules/broken/package.json': '{ oops',
      'node_modules/broken/index.js': '',
    });
    const found = resolvePackage('alias', at());
    expect(found).toMatchObject({ name: 'real', version: '3.2.1' });
    expect(packageOf(found!.url)).toMatchObject({ name: 'real', version: '3.2.1' });
    expect(packageOf(`${found!.url}.gone`)).toBeUndefined();
    expect(resolvePackage('broken', at())).toEqual({ url: `file://${at('node_modules/broken/index.js')}` });
  });

  it.each([
    ['zod', true, 'zod'], ['zod/v4', true, 'zod'], ['@a/b/c', true, '@a/b'], ['fs', true, 'fs'], ['node:fs', true, undefined], ['./x', false, undefined], ['../x', false, undefined],
    ['/x', false, undefined], ['.', false, undefined], ['..', false, undefined], ['https://x.y/z', false, undefined], ['file:///x', false, undefined], ['#x', false, undefined],
    ['@/x', true, undefined], ['~/x', true, undefined], ['', false, undefined],
  ])('%j: bare %s, package %s', (specifier, bare, name) => {
    expect([isBare(specifier), packageName(specifier)]).toEqual([bare, name]);
  });
});
