import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { stepEnvironment, withProgramsInFront } from '../../src/process/environment.js';
import { withoutNpmPath } from '../../src/process/npm-path.js';

const environment = (host: Record<string, string | undefined>, rest: Partial<Parameters<typeof stepEnvironment>[0]> = {}): Record<string, string> =>
  stepEnvironment({ host, secrets: 'inherit', runVariables: {}, ...rest });

const NPM = { npm_execpath: '/npm/npm-cli.js', npm_node_execpath: '/usr/bin/node' };
const BIN = '/w/node_modules/.bin:/node_modules/.bin';
const GYP = '/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin';

describe('what a step inherits', () => {
  it.each([
    ['HOME', 'kept'], ['LANG', 'kept'], ['EDITOR', 'kept'], ['NODE_OPTIONS', 'kept'], ['GITHUB_TOKEN', 'kept'], ['SSH_AUTH_SOCK', 'kept'],
    ['GIT_AUTHOR_NAME', 'kept'], ['GIT_SSH_COMMAND', 'kept'], ['GIT_CONFIG_COUNT', 'kept'], ['GIT_CONFIG_KEY_0', 'kept'], ['GIT_CONFIG_GLOBAL', 'kept'],
    ['GIT_CONFIG_PARAMETERS', 'kept'], ['npm_config_registry', 'kept'], ['npm_config_cache', 'kept'], ['npm_config_yes', 'kept'],
    ['npm_config_prefix', 'kept'], ['npm_config_//packages.example/:_authToken', 'kept'], ['NODE', 'kept'], ['COLOR', 'kept'],
    ['RELAYFLOWS_GITHUB_MOCK', 'kept'], ['RELAYFLOW_SCOPE', 'kept'], ['RELAYFLOW_FORGE_DIR', 'kept'], ['RELAYFLOW_NODE', 'kept'], ['FLOWS_NO_BROWSER', 'kept'],
    ['RELAYFLOW_RUN_ID', 'dropped'], ['RELAYFLOW_STEP_ID', 'dropped'], ['RELAYFLOW_ATTEMPT', 'dropped'], ['RELAYFLOW_DATA_DIR', 'dropped'],
    ['RELAYFLOW_WAKE_CONTEXT', 'dropped'], ['RELAYFLOW_MODEL', 'dropped'], ['RELAYFLOWS_FAULT', 'dropped'], ['FLOWS_AUTHORED_NODE', 'dropped'],
    ['GIT_DIR', 'dropped'], ['GIT_WORK_TREE', 'dropped'], ['GIT_INDEX_FILE', 'dropped'], ['GIT_PREFIX', 'dropped'], ['GIT_QUARANTINE_PATH', 'dropped'],
    ['INIT_CWD', 'dropped'], ['npm_lifecycle_event', 'dropped'], ['npm_lifecycle_script', 'dropped'], ['npm_package_name', 'dropped'],
    ['npm_execpath', 'dropped'], ['npm_command', 'dropped'], ['npm_config_user_agent', 'dropped'], ['npm_config_local_prefix', 'dropped'],
    ['npm_config_package', 'dropped'], ['PWD', 'dropped'], ['OLDPWD', 'dropped'], ['SHLVL', 'dropped'], ['_', 'dropped'],
  ])('%s is %s', (name, fate) => {
    expect(name in environment({ [name]: 'x' })).toBe(fate === 'kept');
  });

  it('leaves the repository to git, except for its configuration', () => {
    const listed = spawnSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' }).stdout.trim().split('\n');
    const kept = Object.keys(environment(Object.fromEntries(listed.map((name) => [name, 'x']))));
    expect(kept.filter((name) => !/^GIT_CONFIG(_|$)/.test(name))).toEqual([]);
  });

  it.each(['npm_config_yes', 'npm_config_loglevel', 'npm_config_prefix', 'npm_config_workspace', 'COLOR'])('%s is dropped where npm started the run', (name) => {
    expect(environment({ ...NPM, [name]: 'x' })).toEqual({});
  });

  it('drops NODE only where npm set it', () => {
    expect(environment({ ...NPM, NODE: '/usr/bin/node' })).toEqual({});
    expect(environment({ ...NPM, NODE: 'production' })).toEqual({ NODE: 'production' });
  });

  it('keeps odd values as they are', () => {
    const odd = { EMPTY: '', LINES: 'a\nb', QUOTES: `"'\\$`, UNICODE: '🦊é' };
    expect(environment({ ...odd, MISSING: undefined })).toEqual(odd);
  });

  it('sees later changes of an environment that is not frozen, and remembers a frozen one', () => {
    const host: Record<string, string> = { A: '1' };
    expect(environment(host)).toEqual({ A: '1' });
    host['A'] = '2';
    expect(environment(host)).toEqual({ A: '2' });
    const frozen = Object.freeze({ A: '1', API_TOKEN: 'abcdefghij' });
    const first = environment(frozen);
    first['A'] = 'changed by the caller';
    expect(environment(frozen)['A']).toBe('1');
    expect(environment(frozen, { secrets: 'scrub' })).toEqual({ A: '1' });
    expect(environment(frozen)).toEqual({ A: '1', API_TOKEN: 'abcdefghij' });
  });
});

describe('scrub', () => {
  it.each([
    ['GITHUB_TOKEN', false], ['AWS_SECRET_ACCESS_KEY', false], ['DB_PASSWORD', false], ['GIT_CONFIG_COUNT', false], ['GIT_CONFIG_GLOBAL', false], ['GIT_CONFIG', false],
    ['GIT_AUTHOR_NAME', true], ['KEYBOARD', true], ['HOME', true], ['GIT_CONFIGURED', true],
  ])('%s is kept: %s', (name, kept) => {
    expect(name in environment({ [name]: 'a-value-of-some-length' }, { secrets: 'scrub' })).toBe(kept);
  });

  it('keeps what the step names', () => {
    expect(environment({ NPM_TOKEN: 'of the host' }, { secrets: 'scrub', env: { NPM_TOKEN: 'of the step' } })).toEqual({ NPM_TOKEN: 'of the step' });
  });
});

describe('what comes on top', () => {
  it('the step wins over the host, and its names are not filtered', () => {
    expect(environment({ A: 'host', B: 'host' }, { env: { A: 'step', GIT_DIR: '/x', RELAYFLOW_MODEL: 'm' } })).toEqual({ A: 'step', B: 'host', GIT_DIR: '/x', RELAYFLOW_MODEL: 'm' });
  });

  it('run variables win over the step', () => {
    expect(environment({}, { env: { RELAYFLOW_DATA_DIR: '/wrong' }, runVariables: { RELAYFLOW_DATA_DIR: '/right' } })).toEqual({ RELAYFLOW_DATA_DIR: '/right' });
  });
});

describe('the PATH under a package manager', () => {
  it.each([
    [`${BIN}:${GYP}:/usr/bin:/bin`, '/usr/bin:/bin'],
    [`${BIN}:${GYP}:${BIN}:${GYP}:/usr/bin`, '/usr/bin'],
    [`${BIN}:/usr/bin`, '/usr/bin'],
    ['/usr/bin:/w/node_modules/.bin', '/usr/bin:/w/node_modules/.bin'],
    ['', ''],
    [BIN, ''],
  ])('%s becomes %s', (path, rest) => {
    expect(withoutNpmPath(path)).toBe(rest);
  });

  it('is only touched where one started the run', () => {
    expect(environment({ PATH: `${BIN}:/usr/bin` })['PATH']).toBe(`${BIN}:/usr/bin`);
    expect(environment({ ...NPM, PATH: `${BIN}:/usr/bin` })['PATH']).toBe('/usr/bin');
  });
});

describe('programs in front', () => {
  it.each([
    [{ PATH: '/usr/bin' }, '/tools:/usr/bin'],
    [{ PATH: '/usr/bin:/tools:/bin' }, '/tools:/usr/bin:/bin'],
    [{}, undefined],
    [{ PATH: '' }, ''],
    [{ ...NPM, PATH: `${BIN}:${GYP}:/usr/bin` }, '/tools:/usr/bin'],
    [{ ...NPM, PATH: BIN }, '/tools'],
    [{ PATH: `${BIN}:/usr/bin` }, `/tools:${BIN}:/usr/bin`],
  ])('a step of %o has the PATH %s', (host, path) => {
    expect(environment(withProgramsInFront(host, '/tools') as Record<string, string>)['PATH']).toBe(path);
  });

  it('gives way to a PATH that a step names', () => {
    expect(environment(withProgramsInFront({ PATH: '/usr/bin' }, '/tools') as Record<string, string>, { env: { PATH: '/own' } })['PATH']).toBe('/own');
  });
});
