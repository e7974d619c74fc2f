import { chmodSync, mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readConfigValue } from '../../src/flow/config-rules.js';
import { findConfig } from '../../src/flow/config.js';
import { failure, folder } from './folder.js';
import { ownNode } from './own-node.js';

const FULL = {
  cli: 'claude',
  models: ['opus', 'Opus'],
  executors: ['local'],
  mcp: { docs: { command: 'docs-mcp', args: ['--stdio', ''], env: { TOKEN: ' x ' } }, web: { url: 'https://example.com/mcp', headers: { a: 'b' } } },
  plugins: [1, { any: 'thing' }],
  deploy: { bucket: 'b' },
};

describe('finding flows.json', () => {
  it('takes the nearest one above and no other', () => {
    const at = folder({ 'flows.json': '{"cli":"outer","models":["m"]}', 'repo/flows.json': '{"cli":"inner"}', 'repo/flows/deep/x': '' });
    expect(findConfig(at('repo/flows/deep'))).toEqual({ path: at('repo/flows.json'), config: { cli: 'inner' } });
    expect(findConfig(at('repo'))?.path).toBe(at('repo/flows.json'));
    expect(findConfig(at())?.config).toEqual({ cli: 'outer', models: ['m'] });
  });

  it('is content without one, and passes a folder of that name by', () => {
    const at = folder({ 'repo/x': '' });
    mkdirSync(at('repo/flows.json'));
    expect(findConfig(at('repo'))).toBeUndefined();
  });
});

describe('the content of flows.json', () => {
  it('may have every documented member', () => {
    expect(readConfigValue(FULL)).toEqual({ config: FULL, problems: [] });
    expect(readConfigValue({})).toEqual({ config: {}, problems: [] });
    expect(readConfigValue({ models: [], cli: ' codex ' }).config).toEqual({ models: [], cli: 'codex' });
  });

  it.each<[unknown, string[]]>([
    [[], ['The file must be an object, got a list']],
    [null, ['The file must be an object, got null']],
    [{ modles: [] }, ['modles is not a known key; did you mean "models"?']],
    [{ Models: [] }, ['Models is not a known key; did you mean "models"?']],
    [{ telemetry: true }, ['telemetry is not a known key; known are cli, models, executors, mcp, plugins, deploy']],
    [JSON.parse('{"__proto__":{},"constructor":1}'), ['__proto__ is not a known key; known are cli, models, executors, mcp, plugins, deploy', 'constructor is not a known key; known are cli, models, executors, mcp, plugins, deploy']],
    [{ cli: '' }, ['cli must be a string that is not blank, got an empty string']],
    [{ cli: 5 }, ['cli must be a string that is not blank, got 5']],
    [{ models: 'opus' }, ['models must be a list, got the string "opus"']],
    [{ models: ['a', ' a', 'b', 'b', 'b'] }, ['models lists "a" more than once', 'models lists "b" more than once']],
    [{ models: ['a', 2, ' '] }, ['models[1] must be a string that is not blank, got 2', 'models[2] must be a string that is not blank, got the string " "']],
    [{ mcp: { 'my server': {} } }, ['mcp["my server"] must have either "command" or "url"']],
    [{ mcp: { a: { command: 'x', url: 'y' } } }, ['mcp.a must have either "command" or "url", not both']],
    [{ mcp: { a: { command: 'x', arg: [] } } }, ['mcp.a.arg is not a known key; did you mean "args"?']],
    [{ mcp: { a: { url: 'x', headers: { k: 1 } }, b: 1 } }, ['mcp.a.headers.k must be a string, got 1', 'mcp.b must be an object, got 1']],
    [{ deploy: { buckt: 'x' }, plugins: {} }, ['deploy.buckt is not a known key; did you mean "bucket"?', 'plugins must be a list, got an object']],
  ])('%j is refused', (value, problems) => {
    expect(readConfigValue(value).problems).toEqual(problems);
  });
});

describe('a flows.json that cannot be used', () => {
  it('names everything that is wrong at once', async () => {
    const at = folder({ 'flows.json': '{"clii":"x","models":["a","a"]}' });
    expect(await failure(() => findConfig(at()))).toMatchObject({
      code: 'config_invalid',
      exitCode: 2,
      text: `${at('flows.json')} has 2 problems:\n  clii is not a known key; did you mean "cli"?\n  models lists "a" more than once`,
      evidence: { path: at('flows.json') },
    });
  });

  it('shows the place of a syntax error', async () => {
    const at = folder({ 'flows.json': '{\n  "cli": "claude",\n}\n' });
    expect(await failure(() => findConfig(at()))).toMatchObject({
      code: 'config_invalid',
      text: `${at('flows.json')}:3:1 is not JSON: Expected a key in double quotes but found "}".\n  3 | }\n    | ^`,
      evidence: { line: 3, column: 1 },
    });
  });

  it('may be one that the user may not read', async () => {
    const at = folder({ 'flows.json': '{}' });
    chmodSync(at(), 0o755);
    chmodSync(at('flows.json'), 0o600);
    const { stdout } = await ownNode(`
      const { findConfig } = await import(dist + '/flow/config.js');
      try { findConfig(args[0]) } catch (error) { console.log(error.code, error.evidence.errno) }
    `, { args: [at()], uid: 65534, cwd: '/' });
    expect(stdout).toBe('config_invalid EACCES\n');
  });
});
