import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkStepDirectory, resolveStepDirectory } from '../../src/process/step-directory.js';
import { tempFolder } from './harness.js';

const ODD = ['with space', "quote's", 'two\nlines', 'ünïcode 🦊', '-dash', '$(x)', 'a:b', 'back\\slash', '...'];

describe('how a step directory is written', () => {
  it.each([...ODD, 'a', 'a/b', '/abs/olute'])('accepts %j', (cwd) => {
    expect(() => checkStepDirectory({ cwd })).not.toThrow();
  });

  it.each([
    ['', 'empty'], [' a', 'blank'], ['a ', 'blank'], ['a\n', 'blank'], ['a\0b', 'NUL'], ['.', 'component'], ['..', 'component'], ['a/../b', 'component'],
    ['./a', 'component'], ['a/.', 'component'], ['a//b', 'empty component'], ['a/', 'empty component'], ['//a', 'empty component'], ['/', 'empty component'],
    ['/a/../b', 'component'], ['file:///tmp', 'URI'], ['file:x', 'URI'], ['https://x/y', 'URI'], [null, 'null'], [1, 'number'], [{}, 'object'],
  ])('refuses %j (%s)', (cwd, why) => {
    expect(() => checkStepDirectory({ cwd })).toThrow(expect.objectContaining({ code: 'cwd_not_allowed', text: expect.stringContaining(why) as string }));
  });

  it('uses the code of the verb', () => {
    expect(() => checkStepDirectory({ cwd: '', code: 'agent_cli_unresolved' })).toThrow(expect.objectContaining({ code: 'agent_cli_unresolved' }));
  });
});

describe('where a step runs', () => {
  it('is the directory of the run without cwd', () => {
    expect(resolveStepDirectory({ runDir: '/never/looked/at' })).toBe('/never/looked/at');
  });

  it.each(ODD)('finds %j', (name) => {
    const runDir = tempFolder();
    mkdirSync(join(runDir, name));
    expect(resolveStepDirectory({ runDir, cwd: name })).toBe(join(runDir, name));
  });

  it('accepts an absolute path inside, also through a link, and answers with the real one', () => {
    const runDir = tempFolder();
    mkdirSync(join(runDir, 'real'));
    symlinkSync(join(runDir, 'real'), join(runDir, 'link'));
    const elsewhere = join(tempFolder(), 'to-run');
    symlinkSync(runDir, elsewhere);
    expect(resolveStepDirectory({ runDir, cwd: join(runDir, 'link') })).toBe(join(runDir, 'real'));
    expect(resolveStepDirectory({ runDir, cwd: join(elsewhere, 'real') })).toBe(join(runDir, 'real'));
    expect(resolveStepDirectory({ runDir: elsewhere, cwd: 'real' })).toBe(join(runDir, 'real'));
    expect(resolveStepDirectory({ runDir, cwd: runDir })).toBe(runDir);
  });

  it('refuses what lies outside, also behind a link or a common beginning', () => {
    const parent = tempFolder();
    const [runDir, outside] = [join(parent, 'run'), join(parent, 'run-beside')];
    mkdirSync(runDir);
    mkdirSync(outside);
    symlinkSync(outside, join(runDir, 'way-out'));
    for (const cwd of [outside, 'way-out', realpathSync('/tmp')]) {
      expect(() => resolveStepDirectory({ runDir, cwd })).toThrow(expect.objectContaining({ code: 'cwd_not_allowed', text: expect.stringContaining('outside') as string }));
    }
  });

  it.each([
    ['missing', 'does not exist'],
    ['file', 'is not a directory'],
    ['file/below', 'leads through a file'],
    ['dangling', 'does not exist'],
  ])('refuses %s: %s', (cwd, why) => {
    const runDir = tempFolder();
    writeFileSync(join(runDir, 'file'), '');
    symlinkSync('nowhere', join(runDir, 'dangling'));
    expect(() => resolveStepDirectory({ runDir, cwd, code: 'worker_error' })).toThrow(
      expect.objectContaining({ code: 'worker_error', text: expect.stringContaining(why) as string, evidence: { path: join(runDir, cwd) } }),
    );
  });
});
