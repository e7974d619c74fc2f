import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { registerPlugin } from '../../../src/harness/opencode/register-plugin.js';
import { folder } from '../workbench.js';

const plugin = 'relay-flow-plugin@1.2.3';
const register = async (repo: string): Promise<void> => await registerPlugin({ repo, plugin });

async function repository(files: Readonly<Record<string, string>>): Promise<string> {
  const repo = await folder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(repo, path, '..'), { recursive: true });
    await writeFile(join(repo, path), text);
  }
  return repo;
}

/** What becomes of an opencode.json, and is left after another time. */
async function edited(text: string, name = 'opencode.json'): Promise<string> {
  const repo = await repository({ [name]: text });
  await register(repo);
  const after = await readFile(join(repo, name), 'utf8');
  await register(repo);
  expect(await readFile(join(repo, name), 'utf8')).toBe(after);
  return after;
}

describe('entering the plugin', () => {
  it('makes both files where there are none', async () => {
    const repo = await repository({});
    await register(repo);
    expect(await readFile(join(repo, 'opencode.json'), 'utf8')).toBe('{\n  "$schema": "https://opencode.ai/config.json",\n  "plugin": [\n    "relay-flow-plugin@1.2.3"\n  ]\n}\n');
    expect(await readFile(join(repo, '.opencode', 'tui.json'), 'utf8')).toBe('{\n  "$schema": "https://opencode.ai/tui.json",\n  "plugin": [\n    "relay-flow-plugin@1.2.3"\n  ]\n}\n');
    expect(await readdir(repo)).toEqual(['.opencode', 'opencode.json']);
  });

  it('keeps comments, order and layout', async () => {
    expect(await edited('{\n\t// Which model\n\t"model": "a/b", /* why */\n\t"plugin": [\n\t\t"other", // mine\n\t],\n\t"theme":"x"\n}\n')).toBe(
      '{\n\t// Which model\n\t"model": "a/b", /* why */\n\t"plugin": [\n\t\t"other", // mine\n\t\t"relay-flow-plugin@1.2.3",\n\t],\n\t"theme":"x"\n}\n',
    );
  });

  it('adds the list where there is none', async () => {
    expect(await edited('{\n    "model": "a/b"\n}\n')).toBe('{\n    "model": "a/b",\n    "plugin": ["relay-flow-plugin@1.2.3"]\n}\n');
    expect(JSON.parse(await edited('{}'))).toEqual({ plugin: [plugin] });
    expect(JSON.parse(await edited('\n'))).toEqual({ $schema: 'https://opencode.ai/config.json', plugin: [plugin] });
    expect(JSON.parse(await edited('{"plugin":[]}'))).toEqual({ plugin: [plugin] });
  });

  it('replaces any version in its place, and leaves one', async () => {
    expect(await edited('{"plugin": ["a", "relay-flow-plugin@0.1.0", "relay-flow-plugin-extras", "relay-flow-plugin", "b", "relay-flow-plugin@latest"]}')).toBe('{"plugin": ["a", "relay-flow-plugin@1.2.3", "relay-flow-plugin-extras", "b"]}');
  });

  it.each([
    ['{"plugin":["a"]}', '{"plugin":["a", "relay-flow-plugin@1.2.3"]}'],
    ['{"plugin":["a",]}', '{"plugin":["a", "relay-flow-plugin@1.2.3",]}'],
    ['{"plugin":[ /* none */ ]}', '{"plugin":[ /* none */"relay-flow-plugin@1.2.3" ]}'],
    ['{"plugin":["a" // first\n]}', '{"plugin":["a", // first\n  "relay-flow-plugin@1.2.3"\n]}'],
    ['{\n  "plugin": [\n    "a" // first\n    // last\n  ]\n}', '{\n  "plugin": [\n    "a", // first\n    // last\n    "relay-flow-plugin@1.2.3"\n  ]\n}'],
    ['{\n  "plugin": [\n  ]\n}', '{\n  "plugin": [\n    "relay-flow-plugin@1.2.3"\n  ]\n}'],
    ['{\n  "a": 1 // why\n}', '{\n  "a": 1, // why\n  "plugin": ["relay-flow-plugin@1.2.3"]\n}'],
    ['{"a": 1}', '{"a": 1, "plugin": ["relay-flow-plugin@1.2.3"]}'],
    ['{ "a": 1 }', '{ "a": 1, "plugin": ["relay-flow-plugin@1.2.3"] }'],
    ['{}', '{ "plugin": ["relay-flow-plugin@1.2.3"] }'],
    ['{\n  // nothing yet\n}', '{\n  // nothing yet\n  "plugin": ["relay-flow-plugin@1.2.3"]\n}'],
    ['{\n  "plugin": [\n    "relay-flow-plugin@0.1.0", // ours\n    "b",\n    "relay-flow-plugin", // again\n    "c"\n  ]\n}', '{\n  "plugin": [\n    "relay-flow-plugin@1.2.3", // ours\n    "b",\n    // again\n    "c"\n  ]\n}'],
    ['{\n  "plugin": [\n    "relay-flow-plugin",\n    "b",\n    "relay-flow-plugin@2"\n  ]\n}', '{\n  "plugin": [\n    "relay-flow-plugin@1.2.3",\n    "b"\n  ]\n}'],
    ['{\n  "plugin": [\n    "relay-flow-plugin",\n    "relay-flow-plugin@2",\n  ]\n}', '{\n  "plugin": [\n    "relay-flow-plugin@1.2.3",\n  ]\n}'],
  ])('makes of %j %j', async (before, after) => {
    expect(await edited(before)).toBe(after);
  });

  it('changes nothing where it stands already, odd layout or not', async () => {
    const text = '\uFEFF{ "plugin" : [ "relay-flow-plugin@1.2.3" ] ,\r\n "x":1, }';
    expect(await edited(text)).toBe(text);
  });

  it('keeps line ends and a mark at the beginning', async () => {
    expect(await edited('\uFEFF{\r\n  "model": "a/b"\r\n}\r\n')).toBe('\uFEFF{\r\n  "model": "a/b",\r\n  "plugin": ["relay-flow-plugin@1.2.3"]\r\n}\r\n');
  });

  it('takes the file that is there, also when it is called .jsonc', async () => {
    const repo = await repository({ 'opencode.jsonc': '{ // mine\n}', '.opencode/tui.jsonc': '{}' });
    await register(repo);
    expect(existsSync(join(repo, 'opencode.json'))).toBe(false);
    expect(existsSync(join(repo, '.opencode/tui.json'))).toBe(false);
    expect(await readFile(join(repo, 'opencode.jsonc'), 'utf8')).toContain('// mine');
    expect(await readFile(join(repo, 'opencode.jsonc'), 'utf8')).toContain(plugin);
  });

  it('enters it in one of two files only, because OpenCode reads both', async () => {
    const repo = await repository({ 'opencode.json': '{"plugin":["a"]}', 'opencode.jsonc': '{"plugin":["relay-flow-plugin@0.0.1","b"]}' });
    await register(repo);
    expect(JSON.parse(await readFile(join(repo, 'opencode.json'), 'utf8'))).toEqual({ plugin: ['a', plugin] });
    expect(JSON.parse(await readFile(join(repo, 'opencode.jsonc'), 'utf8'))).toEqual({ plugin: ['b'] });
  });

  it.each([
    ['{"plugin": "x"}', 'has a `plugin` that is no list of texts'],
    ['{"plugin": ["x", ["y", {}]]}', 'has a `plugin` that is no list of texts'],
    ['{"plugin": null}', 'has a `plugin` that is no list of texts'],
    ['[]', 'does not hold an object'],
    ['{\n  "a": \n}', 'is not valid: ValueExpected in line 3'],
    ['{"a": 1} trailing', 'is not valid'],
  ])('refuses %j and changes no file', async (text, problem) => {
    for (const name of ['opencode.json', '.opencode/tui.json']) {
      const repo = await repository({ [name]: text });
      await expect(register(repo)).rejects.toThrow(expect.objectContaining({ code: 'harness_rejected', text: expect.stringContaining(problem) }));
      expect(await readFile(join(repo, name), 'utf8')).toBe(text);
      expect((await readdir(repo, { recursive: true })).filter((path) => path.endsWith('.json'))).toEqual([name]);
    }
  });

  it('keeps the mode of a file, and where a link points to', async () => {
    const repo = await repository({ 'shared/config.json': '{}' });
    await symlink('shared/config.json', join(repo, 'opencode.json'));
    await chmod(join(repo, 'shared/config.json'), 0o640);
    await register(repo);
    expect((await lstat(join(repo, 'opencode.json'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(repo, 'shared/config.json'), 'utf8')).toContain(plugin);
    expect((await stat(join(repo, 'shared/config.json'))).mode & 0o777).toBe(0o640);
    expect(await readdir(join(repo, 'shared'))).toEqual(['config.json']);
  });
});
