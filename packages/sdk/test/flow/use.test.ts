import { symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadSealed } from '../../src/flow/load.js';
import { sealFlow } from '../../src/flow/seal.js';
import { parseSealed, serializeSealed } from '../../src/flow/stored.js';
import { failure, flowFile, folder } from './folder.js';

describe('children', () => {
  it('are sealed depth first, each file once, and loaded as a tree by their declared names', async () => {
    const at = folder({
      'main.flow.ts': flowFile('main', { use: ['./a.flow.ts', './deep/b.flow.ts'] }),
      'a.flow.ts': flowFile('first', { use: ['./shared.flow.ts'] }),
      'deep/b.flow.ts': flowFile('second', { use: ['../shared.flow.ts'] }),
      'shared.flow.ts': flowFile('shared'),
    });
    const sealed = parseSealed(serializeSealed(await sealFlow(at('main.flow.ts'))));
    expect(sealed.children.map(({ path }) => path)).toEqual(['a.flow.ts', 'shared.flow.ts', 'deep/b.flow.ts']);
    expect(sealed.children[2]!.use).toEqual([{ specifier: '../shared.flow.ts', path: 'shared.flow.ts' }]);
    const loaded = await loadSealed(sealed);
    const tree = (flow: typeof loaded): unknown => ({ [flow.name]: [...flow.children.values()].map(tree) });
    expect(tree(loaded)).toEqual({ main: [{ first: [{ shared: [] }] }, { second: [{ shared: [] }] }] });
  });

  it('may lie above the root', async () => {
    const at = folder({ 'flows/main.flow.ts': flowFile('main', { use: ['../child.flow.ts'] }), 'child.flow.ts': flowFile('child', {}, '(globalThis as any).above = import.meta.filename;') });
    await loadSealed(parseSealed(serializeSealed(await sealFlow(at('flows/main.flow.ts')))));
    expect((globalThis as { above?: string }).above).toBe(at('child.flow.ts'));
  });

  it('of one name are refused', async () => {
    const at = folder({
      'main.flow.ts': flowFile('main', { use: ['./a.flow.ts', './b.flow.ts'] }),
      'a.flow.ts': flowFile('same'),
      'b.flow.ts': flowFile('same'),
    });
    const sealed = await sealFlow(at('main.flow.ts'));
    expect(await failure(loadSealed(sealed))).toMatchObject({ code: 'dispatch_invalid', exitCode: 2, evidence: { flow: 'main', child: 'same' } });
  });
});

describe('an entry of use', () => {
  it.each(['child.flow.ts', '/abs/child.flow.ts', './child.ts', './child.flow.js', './child.flow.ts?x', './a#b.flow.ts', '.\\child.flow.ts', './.flow.ts', 'pkg/child.flow.ts'])('%s is use_invalid', async (specifier) => {
    const at = folder({ 'main.flow.ts': flowFile('main', { use: [specifier] }), 'child.flow.ts': flowFile('child') });
    expect(await failure(sealFlow(at('main.flow.ts')))).toMatchObject({ code: 'use_invalid', evidence: { path: at('main.flow.ts'), specifier } });
  });

  it('may not lead to one file twice', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main', { use: ['./child.flow.ts', './x/../child.flow.ts'] }), 'child.flow.ts': flowFile('child'), 'x/keep': '' });
    const error = await failure(sealFlow(at('main.flow.ts')));
    expect(error).toMatchObject({ code: 'use_invalid', evidence: { specifiers: ['./child.flow.ts', './x/../child.flow.ts'] } });
    const linked = folder({ 'main.flow.ts': flowFile('main', { use: ['./child.flow.ts', './link.flow.ts'] }), 'child.flow.ts': flowFile('child') });
    symlinkSync(linked('child.flow.ts'), linked('link.flow.ts'));
    expect((await failure(sealFlow(linked('main.flow.ts')))).code).toBe('use_invalid');
  });

  it('must exist; a similar name is suggested', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main', { use: ['./lib/publsh.flow.ts'] }), 'lib/publish.flow.ts': flowFile('child') });
    expect(await failure(sealFlow(at('main.flow.ts')))).toMatchObject({ code: 'use_not_found', exitCode: 2, hint: 'Did you mean "./lib/publish.flow.ts"?' });
  });

  it('may not lead back', async () => {
    const at = folder({
      'main.flow.ts': flowFile('main', { use: ['./a.flow.ts'] }),
      'a.flow.ts': flowFile('a', { use: ['./b.flow.ts'] }),
      'b.flow.ts': flowFile('b', { use: ['./a.flow.ts'] }),
    });
    const error = await failure(sealFlow(at('main.flow.ts')));
    expect(error.code).toBe('use_cycle');
    expect(error.evidence['chain']).toEqual([at('a.flow.ts'), at('b.flow.ts'), at('a.flow.ts')]);
    const self = folder({ 'main.flow.ts': flowFile('main', { use: ['./main.flow.ts'] }) });
    expect((await failure(sealFlow(self('main.flow.ts')))).code).toBe('use_cycle');
  });

  it('that is no flow is named by its own path', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main', { use: ['./child.flow.ts'] }), 'child.flow.ts': 'export default 1;' });
    expect(await failure(sealFlow(at('main.flow.ts')))).toMatchObject({ code: 'invalid_spec', evidence: { path: at('child.flow.ts') } });
  });
});
