import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

type Surface = typeof import('../../src/index.js');
type SurfaceRuntime = typeof import('../../src/runtime.js');

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));
let folder: string;
let author: Surface;
let runtime: SurfaceRuntime;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'surface-copies-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const load = async (copy: string, file: string): Promise<unknown> => {
    for (const part of ['dist', 'src']) await cp(join(packageFolder, part), join(folder, copy, part), { recursive: true });
    return import(pathToFileURL(join(folder, copy, 'dist', file)).href);
  };
  author = (await load('author', 'index.js')) as Surface;
  runtime = (await load('runtime', 'runtime.js')) as SurfaceRuntime;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it('a runtime reads a handle that another copy of the package made', () => {
  const body = async (): Promise<void> => {};
  const handle = author.flow('shared', { version: '1.0.0' }, body);
  expect(runtime.isFlowHandle(handle)).toBe(true);
  expect(runtime.getFlowDefinition(handle)).toEqual({ name: 'shared', header: { version: '1.0.0' }, body, handlers: [] });
});

it('a flow takes a trigger that another copy made', async () => {
  const other = (await import(pathToFileURL(join(folder, 'runtime', 'dist', 'index.js')).href)) as Surface;
  expect(other.flow).not.toBe(author.flow);
  const handle = author.flow('triggered').on(other.schedule.every('1h'), async () => {});
  expect(runtime.getFlowDefinition(handle).handlers).toHaveLength(1);
});

it('the package adds nothing enumerable to the global object', () => {
  expect(Object.getOwnPropertySymbols(globalThis).filter((key) => Object.prototype.propertyIsEnumerable.call(globalThis, key))
    .filter((key) => String(key).includes('relayflows'))).toEqual([]);
});
