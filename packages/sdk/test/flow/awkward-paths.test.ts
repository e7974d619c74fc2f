import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { sealFlow } from '../../src/flow/seal.js';
import { failure, flowFile, folder } from './folder.js';
import { ownNode } from './own-node.js';

const NAMES = [
  'with space', "it's", 'double"quote', 'naïve-日本', 'hash#mark', 'question?mark', 'percent%41', 'new\nline', 'a=b', '[bracket]', '-dash', 'paren(1)',
  '${dollar}', '`tick`', 'colon:7:8',
];

/** Runs in a Node of its own: the test runner's way of importing files changes some of these names. */
const PROGRAM = `
  const [root, names] = args;
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
  const { stdout, stderr } = await ownNode(PROGRAM, { args: [at('/'), JSON.stringify(NAMES)] });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(NAMES.map((name) => {
    const file = at(`${name}/${name}.flow.ts`);
    return [name, ['main', 'child', at(`${name}/lib`), file, pathToFileURL(file).href]];
  })));
});

it.each(['star*.flow.ts', 'back\\slash/main.flow.ts'])('refuses %s, which esbuild or Node would misread', async (name) => {
  const at = folder({ [name]: flowFile('main') });
  expect(await failure(sealFlow(at(name)))).toMatchObject({ code: 'invalid_spec', hint: 'Rename it.', evidence: { path: at(name) } });
});
