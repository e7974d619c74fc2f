import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

const TEST = '"scripts": { "test": "vitest run" }';
const pack = (more = ''): Readonly<Record<string, string>> => ({ 'package.json': `{ ${TEST}${more} }\n` });
const manager = (name: string): string => `, "packageManager": "${name}@9.1.0+sha512.abc"`;

/** What a project has, and the last lines of the script that checks it; none when nothing does. */
const ROWS: ReadonlyArray<readonly [what: string, files: Readonly<Record<string, string>>, lines: readonly string[]]> = [
  ['make', { Makefile: 'test: build\n\ttrue\n' }, ['make test']],
  ['make, beside other targets', { Makefile: 'check test lint::\n\ttrue\n' }, ['make test']],
  ['make, a target that is included and phony', { GNUmakefile: '.PHONY: all test\ninclude rules.mk\n' }, ['make test']],
  ['make, a variable of that name', { Makefile: 'test := a\ntest = b:c\ntest ?= x\nunit-test:\n\techo test: x\nall: test\n' }, []],
  ['just', { justfile: "@test filter='':\n  cargo test\n" }, ['just test']],
  ['just, a variable of that name', { Justfile: "test := 'x'\n" }, []],
  ['npm', { ...pack(), 'package-lock.json': '{}' }, ['npm ci', 'npm run test']],
  ['npm without a lockfile', pack(), ['npm install', 'npm run test']],
  ['a manager that is named, without a lockfile', pack(manager('pnpm')), ['pnpm install', 'pnpm run test']],
  ['pnpm', { ...pack(), 'pnpm-lock.yaml': 'x' }, ['pnpm install --frozen-lockfile', 'pnpm run test']],
  ['Yarn classic', { ...pack(), 'yarn.lock': '# yarn lockfile v1\n' }, ['yarn install --frozen-lockfile', 'yarn run test']],
  ['Yarn Berry', { ...pack(), 'yarn.lock': '__metadata:\n  version: 8\n' }, ['yarn install --immutable', 'yarn run test']],
  ['Bun', { ...pack(), 'bun.lock': '{}' }, ['bun install --frozen-lockfile', 'bun run test']],
  ['a manager that is named, and the lockfile of another', { ...pack(manager('yarn')), 'pnpm-lock.yaml': 'x' }, ['pnpm install --frozen-lockfile', 'pnpm run test']],
  ['two lockfiles, and one of the managers named', { ...pack(manager('npm')), 'yarn.lock': 'x', 'package-lock.json': '{}' }, ['npm ci', 'npm run test']],
  ['Berry left behind, npm named', { ...pack(manager('npm')), 'yarn.lock': '__metadata:\n', 'package-lock.json': '{}' }, ['npm ci', 'npm run test']],
  ["npm's placeholder", { 'package.json': '{ "scripts": { "test": "echo \\"Error: no test specified\\" && exit 1" } }' }, []],
  ["npm's placeholder, and a folder of tests", { 'package.json': '{\n"directories": { "test": "test" },\n"scripts": { "test": "echo \\"Error: no test specified\\" && exit 1" }\n}' }, []],
  ['a package without tests', { 'package.json': '{ "scripts": { "build": "x" } }' }, []],
  ['a package without tests, in a Cargo project', { 'package.json': '{}', 'Cargo.toml': '' }, ['cargo test']],
  ['Go', { 'go.mod': 'module x\n' }, ['go test ./...']],
  ['uv', { 'pyproject.toml': '', 'uv.lock': '', 'tests/test_a.py': '' }, ['uv run --frozen pytest']],
  ['Poetry', { 'pyproject.toml': '', 'poetry.lock': '', 'tests/test_a.py': '' }, ['poetry install --no-interaction', 'poetry run pytest']],
  ['pip', { 'setup.py': '', 'requirements.txt': '', 'a_test.py': '' }, ['pip install -q pytest', '[ ! -f requirements.txt ] || pip install -q -r requirements.txt', '[ ! -f pyproject.toml ] && [ ! -f setup.py ] || pip install -q -e .', 'python -m pytest']],
  ['Python without a test', { 'pyproject.toml': '', 'main.py': '' }, []],
  ['RSpec', { Gemfile: '', 'spec/a_spec.rb': '' }, ['bundle install --quiet', 'bundle exec rspec']],
  ['Rake', { Gemfile: '', Rakefile: '' }, ['bundle install --quiet', 'bundle exec rake']],
  ['Maven', { 'pom.xml': '' }, ['mvn -B -q verify']],
  ['Gradle', { 'build.gradle.kts': '' }, ['gradle check']],
  ['.NET', { 'an app.csproj': '' }, ['dotnet test']],
  ['Mix', { 'mix.exs': '' }, ['mix deps.get', 'mix test']],
  ['nothing', { 'README.md': '' }, []],
];

inEachShell((shell) => {
  test.each(ROWS)('%s', (_what, files, lines) => {
    const scratch = new Scratch(shell);
    for (const [name, text] of Object.entries(files)) scratch.write(name, text);
    scratch.git('add', '-A');
    const word = scratch.word('check-resolve');
    if (lines.length === 0) {
      expect([word, scratch.has('.relayflow/check.sh')]).toEqual(['none', false]);
      return;
    }
    expect(word).toBe('default');
    expect(scratch.read('.relayflow/check.sh').trimEnd().split('\n').slice(-lines.length)).toEqual(lines);
    expect(spawnSync('sh', ['-n', join(scratch.cwd, '.relayflow/check.sh')]).status).toBe(0);
  });

  test('a wrapper that the repository brings', () => {
    const scratch = new Scratch(shell);
    for (const [file, wrapper] of [['pom.xml', 'mvnw'], ['build.gradle', 'gradlew']] as const) {
      scratch.run('', {}, `rm -rf .relayflow pom.xml mvnw; : >${file}; : >${wrapper}; chmod +x ${wrapper}`);
      scratch.word('check-resolve');
      expect(scratch.read('.relayflow/check.sh')).toContain(`./${wrapper} `);
    }
  });

  test('a tool that is missing is named, and the checks could not be run', () => {
    const scratch = new Scratch(shell);
    scratch.write('mix.exs', '');
    scratch.word('check-resolve');
    expect(scratch.word('check-run', { RELAYFLOW_CHECK_LIMIT: '40' })).toBe('unrunnable');
    expect(scratch.read('.relayflow/check.log')).toBe('mix is not installed\n');
  });

  test('a command that is given comes first, a script that is there second', () => {
    const scratch = new Scratch(shell);
    scratch.write('Makefile', 'test:\n');
    scratch.write('.relayflow/check.sh', 'exit 4');
    expect([scratch.word('check-resolve'), scratch.read('.relayflow/check.sh')]).toEqual(['script', 'exit 4']);
    const command = 'test "$(printf \'%s\' "a b")" = \'a b\' &&\n  echo "$HOME" `echo x` \\\n  \'\'';
    expect(scratch.word('check-resolve', { RELAYFLOW_CHECK_COMMAND: command })).toBe('script');
    expect(scratch.read('.relayflow/check.sh')).toBe(`#!/bin/sh\nset -e\n${command}\n`);
    expect(scratch.word('check-run', { RELAYFLOW_CHECK_LIMIT: '40' })).toBe('pass');
  });

  test('in a monorepo without checks at its root: where the change is', () => {
    const scratch = new Scratch(shell);
    const at = "-packs/it's a [b]";
    scratch.write(`${at}/Makefile`, 'test:\n\ttest -e here.txt\n');
    scratch.write(`${at}/here.txt`, '');
    scratch.write('-packs/other/go.mod', '');
    const base = scratch.commit('init', '-packs');
    scratch.write(`${at}/src/deep/a.txt`, 'a');
    scratch.write(`${at}/src/b.txt`, 'b');
    scratch.commit('change', at);
    expect(scratch.word('check-resolve')).toBe('none');
    expect(scratch.word('check-resolve', { RELAYFLOW_BASE: base })).toBe('default');
    expect(scratch.read('.relayflow/check.sh')).toMatch(/^#!\/bin\/sh\nset -e\n# Where the change is; the root has no checks\.\nwork=/);
    expect(scratch.word('check-run', { RELAYFLOW_CHECK_LIMIT: '40' })).toBe('pass');
    expect(scratch.word('base-check', { RELAYFLOW_BASE: base, RELAYFLOW_CHECK_SOURCE: 'default', RELAYFLOW_CHECK_LIMIT: '40' })).toBe('pass');
    scratch.run('', {}, 'rm .relayflow/check.sh');
    scratch.write('-packs/other/a.txt', 'a');
    scratch.commit('elsewhere', '-packs/other/a.txt');
    expect(scratch.word('check-resolve', { RELAYFLOW_BASE: base })).toBe('none');
  });

  test('in a monorepo with checks at its root: there, and why', () => {
    const scratch = new Scratch(shell);
    scratch.write('Makefile', 'test:\n');
    scratch.write('a/Makefile', 'test:\n');
    scratch.word('check-resolve');
    expect(scratch.read('.relayflow/check.sh')).toMatch(/^#!\/bin\/sh\nset -e\n# At the root, which has checks for the whole\.\nwork=/);
  });
});
