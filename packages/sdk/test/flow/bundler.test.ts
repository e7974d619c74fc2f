import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBuildProblems } from '../../src/flow/build-problems.js';
import { esbuildBinary } from '../../src/flow/esbuild-binary.js';
import { sealFlow } from '../../src/flow/seal.js';
import { failure, flowFile, folder } from './folder.js';
import { ownNode } from './own-node.js';

describe('esbuild’s executable', () => {
  const script = (text: string): ((name?: string) => string) => {
    const at = folder({ 'main.flow.ts': flowFile('main'), esbuild: text });
    chmodSync(at('esbuild'), 0o755);
    return at;
  };
  const sealWith = (at: (name?: string) => string, path = at('esbuild')) => sealFlow(at('main.flow.ts'), { env: { ESBUILD_BINARY_PATH: path } });

  it('is the platform’s package, and not that of the flow’s repository', () => {
    expect(esbuildBinary({})).toContain(`/@esbuild/${process.platform}-${process.arch}/`);
  });

  it('may be chosen', async () => {
    const at = script(`#!/bin/sh\nexec '${esbuildBinary({})}' "$@"\n`);
    expect((await sealWith(at)).root.path).toBe('main.flow.ts');
  });

  it('that was chosen must exist', async () => {
    const at = script('');
    expect(await failure(sealWith(at, at('gone')))).toMatchObject({ code: 'bundler_unavailable', exitCode: 2, hint: 'Correct or unset ESBUILD_BINARY_PATH.' });
  });

  it('that cannot be executed is named', async () => {
    const at = script('#!/bin/sh\n');
    chmodSync(at('esbuild'), 0o644);
    expect(await failure(sealWith(at))).toMatchObject({ code: 'bundler_unavailable', evidence: { command: at('esbuild') } });
  });

  it.each([
    ['exit 3', { exitCode: 3, stderrTail: 'no idea\n' }, 'status 3'],
    ['kill -9 $$', { stderrTail: 'no idea\n' }, 'SIGKILL'],
  ])('that ends with %s shows what it said', async (end, evidence, said) => {
    const error = await failure(sealWith(script(`#!/bin/sh\necho no idea >&2\n${end}\n`)));
    expect(error).toMatchObject({ code: 'bundler_unavailable', evidence });
    expect(error.text).toContain(said);
  });

  it('that is not installed is named with what to do', async () => {
    const at = folder();
    for (const file of ['errors/flows-error.js', 'errors/codes.js', 'flow/esbuild-binary.js', 'flow/resolve-package.js', 'flow/package-exports.js']) {
      mkdirSync(dirname(at(file)), { recursive: true });
      cpSync(new URL(`../../dist/${file}`, import.meta.url), at(file));
    }
    const { stdout } = await ownNode(`
      const { esbuildBinary } = await import(args[0]);
      try { esbuildBinary({}) } catch (error) { console.log(error.code, error.text, error.hint) }
    `, { args: [at('flow/esbuild-binary.js')] });
    expect(stdout).toBe(
      `bundler_unavailable The package @esbuild/${process.platform}-${process.arch}, which bundles flows on this platform, is not installed. `
      + 'Install again without --omit=optional and on this very platform, or set ESBUILD_BINARY_PATH to an esbuild executable.\n',
    );
  });

  it('is not influenced by the environment of the process', async () => {
    const at = folder({ 'main.flow.ts': flowFile('main'), 'other/node_modules/dep/index.js': 'export {}' });
    const plain = await ownNode('console.log((await sealFlow(args[0])).digest)', { args: [at('main.flow.ts')] });
    const influenced = await ownNode('console.log((await sealFlow(args[0])).digest)', { args: [at('main.flow.ts')], env: { NODE_PATH: at('other/node_modules'), FORCE_COLOR: '1', GOMAXPROCS: '1' } });
    expect(influenced.stdout).toBe(plain.stdout);
  });
});

describe('reading what esbuild reports', () => {
  it('takes every error, with and without a place', () => {
    expect(readBuildProblems([
      '▲ [WARNING] Not a problem [some-id]', '', '    a.ts:1:0:', '      1 │ x', '        ╵ ^', '',
      '✘ [ERROR] Expected ";" but found "x"', '', '    lib/a b.ts:12:34:', '      12 │ const a x', '         │         ^', '         ╵         ;', '',
      '✘ [ERROR] Could not resolve "y"', '', '    new\nline.ts:1:7:', '      1 │ import "y"', '        ╵        ~~~', '', '  You can mark it as external.', '',
      '✘ [ERROR] Something went wrong', '', '3 errors', '',
    ].join('\n'))).toEqual([
      { message: 'Expected ";" but found "x"', place: { file: 'lib/a b.ts', line: 12, byteColumn: 34 } },
      { message: 'Could not resolve "y"', place: { file: 'new\nline.ts', line: 1, byteColumn: 7 } },
      { message: 'Something went wrong' },
    ]);
  });

  it('finds nothing where nothing is reported', () => {
    expect(readBuildProblems('')).toEqual([]);
    expect(readBuildProblems('panic: runtime error')).toEqual([]);
  });
});
