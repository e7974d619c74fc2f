import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { authorPosition, authorStack } from '../../src/flow/author-position.js';
import { captureFlowConsole } from '../../src/flow/flow-console.js';
import { loadSealed } from '../../src/flow/load.js';
import { sealFlow } from '../../src/flow/seal.js';
import { parseSealed, serializeSealed } from '../../src/flow/stored.js';
import { failure, flowFile, folder } from './folder.js';
import { ownNode } from './own-node.js';

const installed = (name: string, version: string, code = "export const version = 'x';"): Record<string, string> => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version, type: 'module', exports: { '.': './index.js', './sub': './index.js' } }),
  [`node_modules/${name}/index.js`]: code,
});

/** Seals, stores and reads back, as a resumed run does. */
async function reopened(at: (name?: string) => string) {
  return parseSealed(serializeSealed(await sealFlow(at('main.flow.ts'), { moduleDir: at('data/modules') })));
}

describe('where a flow can lie', () => {
  it('alone, without package.json and node_modules', async () => {
    const at = folder({ 'main.flow.ts': flowFile('alone') });
    const { stdout, stderr } = await ownNode('console.log((await loadSealed(await sealFlow(args[0]))).name)', { args: [at('main.flow.ts')] });
    expect([stdout, stderr]).toEqual(['alone\n', '']);
  });

  it('below a package.json of type commonjs', async () => {
    const at = folder({ 'package.json': '{ "type": "commonjs" }', 'deep/main.flow.js': flowFile('below') });
    const { stdout, stderr } = await ownNode('console.log((await loadSealed(await sealFlow(args[0], { moduleDir: args[1] }))).name)', {
      args: [at('deep/main.flow.js'), at('deep/data/modules')],
    });
    expect([stdout, stderr]).toEqual(['below\n', '']);
  });

  it('in a process started elsewhere', async () => {
    const at = folder({ 'sub/main.flow.ts': flowFile('main', {}, "import './lib.ts';"), 'sub/lib.ts': 'export {};' });
    const { stdout } = await ownNode('console.log((await sealFlow(args[0])).path)', { args: ['sub/main.flow.ts'], cwd: at() });
    expect(stdout).toBe(`${at('sub/main.flow.ts')}\n`);
  });
});

describe('the surface', () => {
  it('is the copy installed beside the flow when there is one, and the runtime understands it', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main') });
    const { stdout, stderr } = await ownNode(`
      import { cpSync } from 'node:fs';
      const [file, copy, own] = args;
      cpSync(own, copy, { recursive: true, dereference: true });
      const sealed = await sealFlow(file);
      const { definition } = await loadSealed(sealed);
      console.log(sealed.root.dependencies[0].url.includes(copy), definition.name, typeof definition.body);
    `, { args: [at('main.flow.ts'), at('node_modules/@relayflows/surface'), new URL('../../../surface', import.meta.url).pathname] });
    expect([stdout, stderr]).toEqual(['true main function\n', '']);
  });

  it('may be upgraded, moved or removed while a run waits', async () => {
    const surface = (version: string) => installed('@relayflows/surface', version, "export * from 'real-surface';");
    const real = `export { flow } from ${JSON.stringify(new URL('../../../surface/dist/index.js', import.meta.url).href)};`;
    const at = folder({ 'main.flow.ts': flowFile('main'), ...surface('0.0.9'), ...installed('real-surface', '1.0.0', real) });
    const sealed = await reopened(at);
    writeFileSync(at('node_modules/@relayflows/surface/package.json'), JSON.stringify({ name: '@relayflows/surface', version: '0.3.0', type: 'module', exports: './index.js' }));
    expect((await loadSealed(sealed)).name).toBe('main');
    rmSync(at('node_modules'), { recursive: true });
    expect((await loadSealed({ ...sealed })).name).toBe('main');
  });
});

describe('packages a flow imports', () => {
  const flowUsing = flowFile('main', {}, "import { version } from 'dep';\nimport 'dep/sub';\nexport const seen = version;");

  it('are recorded with name, version and place', async () => {
    const at = folder({ 'main.flow.ts': flowUsing, ...installed('dep', '1.2.3') });
    const { root } = await reopened(at);
    expect(root.dependencies.slice(1)).toEqual([
      { specifier: 'dep', name: 'dep', version: '1.2.3', url: `file://${at('node_modules/dep/index.js')}` },
      { specifier: 'dep/sub', name: 'dep', version: '1.2.3', url: `file://${at('node_modules/dep/index.js')}` },
    ]);
  });

  it('are not part of the portable digest, but of the stored one', async () => {
    const one = folder({ 'main.flow.ts': flowUsing, ...installed('dep', '1.2.3') });
    const two = folder({ 'main.flow.ts': flowUsing, ...installed('dep', '1.2.4') });
    const [first, second] = [await reopened(one), await reopened(two)];
    expect(first.digest).toBe(second.digest);
    expect(serializeSealed(first).digest).not.toBe(serializeSealed(second).digest);
  });

  it('must have the version they had', async () => {
    const at = folder({ 'main.flow.ts': flowUsing, ...installed('dep', '1.2.3') });
    const sealed = await reopened(at);
    writeFileSync(at('node_modules/dep/package.json'), JSON.stringify({ name: 'dep', version: '2.0.0', type: 'module', exports: { '.': './index.js', './sub': './index.js' } }));
    const error = await failure(loadSealed(sealed));
    expect(error).toMatchObject({
      code: 'dependency_changed',
      exitCode: 2,
      text: 'The flow was sealed with dep@1.2.3, and dep@2.0.0 is installed now.',
      evidence: { package: 'dep', sealedVersion: '1.2.3', installedVersion: '2.0.0' },
    });
    expect(error.hint).toContain('Install dep@1.2.3 again');
  });

  it('must still be there', async () => {
    const at = folder({ 'main.flow.ts': flowUsing, ...installed('dep', '1.2.3') });
    const sealed = await reopened(at);
    rmSync(at('node_modules/dep'), { recursive: true });
    expect(await failure(loadSealed(sealed))).toMatchObject({ code: 'dependency_changed', text: 'The flow was sealed with dep@1.2.3, which is no longer installed.' });
  });

  it('may have moved', async () => {
    const at = folder({ 'repo/main.flow.ts': flowUsing, ...Object.fromEntries(Object.entries(installed('dep', '1.2.3')).map(([name, text]) => [`repo/${name}`, text])) });
    const sealed = parseSealed(serializeSealed(await sealFlow(at('repo/main.flow.ts'))));
    renameSync(at('repo/node_modules'), at('node_modules'));
    expect((await loadSealed(sealed)).name).toBe('main');
  });

  it('may be missing when only a guarded import() names them', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main', {}, `
      const optional = await import('not-there').catch((error) => error.code + ' ' + error.message.includes('main.flow.ts'));
      if (optional !== 'ERR_MODULE_NOT_FOUND true') throw new Error(String(optional));
      const name = 'node:' + 'path';
      if ((await import(name)).sep !== '/') throw new Error('path');
      const local = './lib' + '/late.mjs';
      if ((await import(local)).late !== 1) throw new Error('late');
    `), 'lib/late.mjs': 'export const late = 1;' });
    expect((await loadSealed(await reopened(at))).name).toBe('main');
  });
});

describe('the file that Node imports', () => {
  it('is written once and checked when it exists', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main') });
    await sealFlow(at('main.flow.ts'), { moduleDir: at('data/modules') });
    const [name, ...others] = readdirSync(at('data/modules'));
    expect(others).toEqual([]);
    const stored = at(`data/modules/${name}`);
    const content = readFileSync(stored, 'utf8');
    writeFileSync(stored, content.replace("'success'", "'declined'"));
    const { stdout } = await ownNode('console.log(String((await loadSealed(await sealFlow(args[0], { moduleDir: args[1] }), { moduleDir: args[1] })).definition.body))', {
      args: [at('main.flow.ts'), at('data/modules')],
    });
    expect(stdout).toContain('"success"');
    expect(readFileSync(stored, 'utf8')).toBe(content);
  });

  it('appears whole or not at all when the process is killed', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main') });
    const args = [at('main.flow.ts'), at('data/modules')];
    const seal = 'console.log((await loadSealed(await sealFlow(args[0], { moduleDir: args[1] }), { moduleDir: args[1] })).name)';
    const killed = await ownNode(seal, { args, env: { RELAYFLOWS_FAULT: 'flow.module.before-rename' } });
    expect(killed.signal).toBe('SIGKILL');
    expect(readdirSync(at('data/modules')).filter((name) => name.endsWith('.mjs'))).toEqual([]);
    expect((await ownNode(seal, { args })).stdout).toBe('main\n');
  });

  it('goes to a temporary folder, which is removed, when the data folder cannot be created', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main'), 'tmp/keep': '' });
    const { stdout, stderr } = await ownNode(`
      console.log((await loadSealed(await sealFlow(args[0], { moduleDir: args[1] }), { moduleDir: args[1] })).name)
    `, { args: [at('main.flow.ts'), '/proc/nowhere/modules'], env: { TMPDIR: at('tmp') } });
    expect([stdout, stderr]).toEqual(['main\n', '']);
    expect(readdirSync(at('tmp'))).toEqual(['keep']);
  });

  it('goes there as well when the user may not write the data folder', async () => {
    const at = folder({ 'repo/main.flow.ts': flowFile('main'), 'repo/data/keep': '', 'tmp/keep': '' });
    chmodSync(at(), 0o755);
    chmodSync(at('tmp'), 0o777);
    const { stdout, stderr } = await ownNode('console.log((await sealFlow(args[0], { moduleDir: args[1] })).root.path)', {
      args: [at('repo/main.flow.ts'), at('repo/data/modules')], env: { TMPDIR: at('tmp') }, uid: 65534, cwd: at(),
    });
    expect([stdout, stderr]).toEqual(['main.flow.ts\n', '']);
    expect(readdirSync(at('repo/data'))).toEqual(['keep']);
  });

  it('is named in an error when no folder can be written', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main') });
    const { stdout } = await ownNode('await sealFlow(args[0], { moduleDir: args[1] }).catch((error) => console.log(error.code, error.exitCode, error.hint))', {
      args: [at('main.flow.ts'), '/proc/nowhere/modules'], env: { TMPDIR: at('absent') },
    });
    expect(stdout).toContain('module_not_stored 2 Make room there');
  });

  it('may be written by several processes at once', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main') });
    const runs = await Promise.all(Array.from({ length: 4 }, () => ownNode('console.log((await sealFlow(args[0], { moduleDir: args[1] })).digest)', {
      args: [at('main.flow.ts'), at('data/modules')],
    })));
    expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect(readdirSync(at('data/modules'))).toHaveLength(1);
  });
});

describe('what bundled code sees', () => {
  it('is its own file in import.meta, also in a file it imports', async () => {
    const at = folder({
      'main.flow.ts': flowFile('main', {}, "import { lib } from './lib/lib.ts';\n(globalThis as any).metas = [import.meta.url, import.meta.filename, import.meta.dirname, import.meta.resolve('./x'), import.meta.resolve('node:fs'), lib, import.meta === import.meta];"),
      'lib/lib.ts': 'export const lib = [import.meta.url, new URL("./data.txt", import.meta.url).pathname];',
    });
    await loadSealed(await reopened(at));
    expect((globalThis as { metas?: unknown }).metas).toEqual([
      `file://${at('main.flow.ts')}`, at('main.flow.ts'), at(), `file://${at('x')}`, 'node:fs', [`file://${at('lib/lib.ts')}`, at('lib/data.txt')], true,
    ]);
  });

  it('is a console that writes to stderr, without changing the global one', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main', {}, `
      console.log('log %d', 1);
      globalThis.console.error('error');
      const { info } = console;
      info({ a: 1 });
      console.table([1]);
      export const same = console === globalThis.console;
      console.log(same);
    `) });
    const { stdout, stderr } = await ownNode("const before = console.log; await sealFlow(args[0]); console.log('host', console.log === before)", { args: [at('main.flow.ts')] });
    expect(stdout).toBe('host true\n');
    expect(stderr).toContain("log 1\nerror\n{ a: 1 }\n┌");
    expect(stderr).toContain('true\n');
  });

  it('is a console that a host can listen to', async () => {
    const heard: string[] = [];
    const stop = captureFlowConsole((text) => heard.push(text));
    await sealFlow(folder({ 'main.flow.ts': flowFile('main', {}, "console.log('one\\ntwo');") })('main.flow.ts'));
    stop();
    expect(heard).toEqual(['one\ntwo\n']);
  });
});

describe('positions', () => {
  it('are found when the data folder is reached through a symbolic link', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main', {}, "\nthrow new Error('at the top');"), 'real/keep': '' });
    symlinkSync(at('real'), at('link'));
    const error = await failure(sealFlow(at('main.flow.ts'), { moduleDir: at('link/modules') }));
    expect(error.evidence).toMatchObject({ path: at('main.flow.ts'), line: 3, column: 7 });
  });

  it('of errors in a body lead to the author’s file, also when it was moved away', async () => {
    const at = folder({ 'main.flow.ts': "import { flow } from '@relayflows/surface';\ntype A = 1;\ntype B = 2;\nexport default flow('x', async () => {\n  throw new Error(import.meta.filename);\n});\n" });
    const { definition } = await loadSealed(await reopened(at), { moduleDir: at('data/modules') });
    renameSync(at('main.flow.ts'), at('moved.flow.ts'));
    const error = await definition.body!(undefined as never, undefined)
      .then(() => undefined, (thrown: unknown) => thrown as Error);
    expect(authorPosition(error)).toEqual({ path: at('main.flow.ts'), line: 5, column: 9 });
    expect(authorStack(error!.stack!)).toContain(`${at('main.flow.ts')}:5:9`);
    expect(authorStack(error!.stack!)).not.toContain('data/modules');
  });

  it('of errors that no flow threw are left alone', () => {
    const error = new Error('elsewhere');
    expect(authorPosition(error)).toBeUndefined();
    expect(authorStack(error.stack!)).toBe(error.stack);
    expect(authorPosition(null)).toBeUndefined();
    expect(authorPosition({ stack: 5 })).toBeUndefined();
  });
});
