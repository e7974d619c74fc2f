import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { INPUT_MAX_BYTES, readInput } from '../../src/flow/input.js';
import { failure, folder } from './folder.js';
import { ownNode } from './own-node.js';

describe('an input', () => {
  it.each([['{"a":[1,null]}', { a: [1, null] }], ['"text"', 'text'], ['3', 3], ['null', null], ['  true ', true]])('%s is JSON itself', (argument, value) => {
    expect(readInput(argument, { cwd: '/' })).toEqual(value);
  });

  it('is the JSON of a file that exists, relative to the given folder, with or without a byte order mark', () => {
    const at = folder({ 'in/ticket.json': '{"key":"ABC-1"}', 'in/bom.json': '\uFEFF[1]', 'in/true': '"a file comes first"' });
    expect(readInput('ticket.json', { cwd: at('in') })).toEqual({ key: 'ABC-1' });
    expect(readInput(at('in/bom.json'), { cwd: '/' })).toEqual([1]);
    expect(readInput('true', { cwd: at('in') })).toBe('a file comes first');
  });

  it('that is neither says so, with its place', async () => {
    const at = folder();
    for (const argument of ['missing.json', '', 'plain words', 'x\0y', 'x'.repeat(5000), '{"a":1,}']) {
      const error = await failure(() => readInput(argument, { cwd: at() }));
      expect(error).toMatchObject({ code: 'input_invalid', exitCode: 2, evidence: { line: 1 } });
      expect(error.hint).toContain('--input');
      expect(error.text.length).toBeLessThan(300);
    }
  });

  it('that is a folder, or a pipe from another command, is told from a mistyped path', async () => {
    const at = folder();
    mkdirSync(at('folder'));
    for (const argument of ['folder', '/dev/null']) {
      expect((await failure(() => readInput(argument, { cwd: at() }))).text).toBe(`The input ${argument} is a directory, a pipe or a device, not a regular file.`);
    }
  });

  it('in a file with a syntax error names file, line and column', async () => {
    const at = folder({ 'bad.json': '{\n  "a": 1,\n  "b": oops\n}' });
    expect(await failure(() => readInput('bad.json', { cwd: at() }))).toMatchObject({
      code: 'input_invalid',
      text: `The input file is not JSON, ${at('bad.json')}:3:8: Expected a value but found "o".`,
      evidence: { path: at('bad.json'), line: 3, column: 8 },
    });
  });

  it('must be UTF-8', async () => {
    const at = folder({ 'latin1.json': Buffer.from('"caf\xe9"', 'latin1') });
    expect(await failure(() => readInput('latin1.json', { cwd: at() }))).toMatchObject({ code: 'input_invalid', hint: 'Save it as UTF-8.' });
  });

  it('has at most 1,048,576 bytes, counted as UTF-8', async () => {
    const at = folder();
    const exactly = `"${'é'.repeat((INPUT_MAX_BYTES - 2) / 2)}"`;
    writeFileSync(at('fits.json'), exactly);
    writeFileSync(at('over.json'), `${exactly} `);
    expect(readInput('fits.json', { cwd: at() })).toHaveLength((INPUT_MAX_BYTES - 2) / 2);
    expect(readInput(exactly, { cwd: at() })).toHaveLength((INPUT_MAX_BYTES - 2) / 2);
    for (const argument of ['over.json', `${exactly} `]) {
      expect(await failure(() => readInput(argument, { cwd: at() }))).toMatchObject({ code: 'input_too_large', evidence: { bytes: INPUT_MAX_BYTES + 1, limit: INPUT_MAX_BYTES } });
    }
  });

  it('that may not be read is input_unreadable', async () => {
    const at = folder({ 'closed/in.json': '1', 'secret.json': '1' });
    chmodSync(at(), 0o755);
    chmodSync(at('closed'), 0o700);
    chmodSync(at('secret.json'), 0o600);
    const { stdout } = await ownNode(`
      const { readInput } = await import(dist + '/flow/input.js');
      for (const path of ['closed/in.json', 'secret.json']) try { readInput(path, { cwd: args[0] }) } catch (error) { console.log(error.code, error.evidence.errno) }
    `, { args: [at()], uid: 65534, cwd: '/' });
    expect(stdout).toBe('input_unreadable EACCES\ninput_unreadable EACCES\n');
  });
});
