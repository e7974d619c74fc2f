import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { flowFile, folder } from './folder.js';

const NAMES = [
  'with space', "it's", 'double"quote', 'naïve-日本', 'hash#mark', 'question?mark', 'percent%41', 'new\nline', 'a=b', '[bracket]', '-dash', 'paren(1)',
  'back\\slash', '${dollar}', '`tick`', 'colon:7:8',
];

/** Runs in a Node of its own: the test runner's way of importing files changes some of these names. */
const PROGRAM = `
  const [dist, root, names] = process.argv.slice(1);
  const { sealFlow } = await import(dist + '/flow/seal.js');
  const { loadSealed } = await import(dist + '/flow/load.js');
  const { parseSealed, serializeSealed } = await import(dist + '/flow/stored.js');
  const results = {};
  for (const name of JSON.parse(names)) {
    const moduleDir = root + name + '/data/modules';
    const sealed = parseSealed(serializeSealed(await sealFlow(root + name + '/' + name + '.flow.ts', { moduleDir })));
    const loaded = await loadSealed(sealed, { moduleDir });
    results[name] = [loaded.name, ...loaded.children.keys(), ...globalThis.seen];
  }
  console.log(JSON.stringify(results));
`;

const TOP_LEVEL = `
  import { x } from './lib/x.ts';
  (globalThis as any).seen = [x, import.meta.filename, import.meta.url];
`;

it('loads files whatever their folders are called', async () => {
  const at = folder(Object.fromEntries(NAMES.flatMap((name) => [
    [`${name}/${name}.flow.ts`, flowFile('main', { use: ['./child.flow.ts'] }, TOP_LEVEL)],
    [`${name}/lib/x.ts`, 'export const x = import.meta.dirname;'],
    [`${name}/child.flow.ts`, flowFile('child')],
  ])));
  const dist = new URL('../../dist', import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM, dist, at('/'), JSON.stringify(NAMES)]);
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(NAMES.map((name) => {
    const file = at(`${name}/${name}.flow.ts`);
    return [name, ['main', 'child', at(`${name}/lib`), file, pathToFileURL(file).href]];
  })));
});
