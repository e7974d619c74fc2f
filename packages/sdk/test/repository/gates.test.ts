import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dependencies, lockfileProblems } from '../../../../scripts/gates/dependencies.mjs';
import { errorPageProblems, errors, warningProblems } from '../../../../scripts/gates/errors.mjs';
import { imports, importsOf, refusal } from '../../../../scripts/gates/imports.mjs';
import { nameProblems, textProblems, tree } from '../../../../scripts/gates/tree.mjs';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

describe('the repository', () => {
  it.each([dependencies, errors, imports, tree])('passes $name', async (gate) => {
    expect(await gate.problems(root)).toEqual([]);
  });
});

describe('dependencies', () => {
  const locked = (entry: object) => lockfileProblems({ packages: { '': {}, 'node_modules/left': { version: '1.0.0', ...entry } } });

  it.each(['>=20.19', '^20.19.0 || >=22.12', '>=18', '*'])('accepts engines %s', (node) => expect(locked({ engines: { node } })).toEqual([]));

  it.each(['>=22', '^20.20.0', '^18 || ^22', '>=20.19.1'])('refuses engines %s', (node) => {
    expect(locked({ engines: { node } })).toEqual([`left@1.0.0: its engines (${node}) exclude Node 20.19.0`]);
  });

  it('refuses an install script', () => expect(locked({ hasInstallScript: true })).toEqual(['left@1.0.0: a production dependency with an install script']));

  it('leaves the tools of developers alone', () => expect(locked({ dev: true, hasInstallScript: true, engines: { node: '>=22' } })).toEqual([]));

  it('judges a dependency of a dependency', () => {
    const nested = { version: '2.0.0', engines: { node: '>=22' } };
    expect(lockfileProblems({ packages: { 'node_modules/a/node_modules/@b/c': nested } })).toEqual(['@b/c@2.0.0: its engines (>=22) exclude Node 20.19.0']);
  });

  it('refuses a lock file that names a download host, of developers too', () => {
    expect(locked({ dev: true, resolved: 'https://mirror.example/left.tgz' })).toHaveLength(1);
  });
});

describe('imports', () => {
  it('finds every way to name a module', () => {
    const source = [
      "import a, { type B } from 'one';",
      "import type { C } from 'two';",
      "import 'three';",
      "export { d } from 'four';",
      "export * from 'five';",
      "const e = await import('six');",
      'const f = await import(`seven${e}`);',
      "// import 'eight';",
    ].join('\n');
    expect(importsOf('x.ts', source)).toEqual([
      { specifier: 'one', lazy: false, line: 1 },
      { specifier: 'two', lazy: false, line: 2 },
      { specifier: 'three', lazy: false, line: 3 },
      { specifier: 'four', lazy: false, line: 4 },
      { specifier: 'five', lazy: false, line: 5 },
      { specifier: 'six', lazy: true, line: 6 },
    ]);
  });

  const judged = (path: string, specifier: string, lazy = false) => refusal(path, { specifier, lazy, line: 1 });

  it.each([
    ['packages/surface/src/flow.ts', 'node:fs'],
    ['packages/surface/src/flow.ts', 'zod'],
    ['packages/sdk/src/index.ts', '@relayflows/cli'],
    ['packages/sdk/src/run/a.ts', '@relayflows/generator'],
    ['packages/sdk/src/run/a.ts', '../../../surface/src/flow.js'],
    ['packages/cli/test/a.test.ts', '../../sdk/test/tools.js'],
    ['packages/cli/src/a.ts', '@relayflows/generator'],
  ])('%s may not name %s', (path, specifier) => expect(judged(path, specifier)).toBeTypeOf('string'));

  it.each([
    ['packages/surface/src/flow.ts', './step.js'],
    ['packages/sdk/src/run/a.ts', '../ports/clock.js'],
    ['packages/sdk/src/run/a.ts', '@relayflows/surface/runtime'],
    ['packages/sdk/src/run/a.ts', 'node:fs'],
    ['packages/cli/src/a.ts', '@relayflows/sdk'],
    ['packages/cli/test/a.test.ts', 'vitest'],
  ])('%s may name %s', (path, specifier) => expect(judged(path, specifier)).toBeUndefined());

  it('lets the command load the generator on use', () => expect(judged('packages/cli/src/a.ts', '@relayflows/generator', true)).toBeUndefined());
});

describe('errors', () => {
  const entry = (code: string, exit: number) => `### \`${code}\`\n\nIt broke. Exit status ${exit}.\n\n**Cause.** That.\n\n**What to do.** This.\n`;
  const codes = { one: { exit: 1, meaning: '' }, two: { exit: 2, meaning: '' } } as const;

  it('accepts one complete entry per code', () => expect(errorPageProblems(codes, entry('one', 1) + entry('two', 2))).toEqual([]));

  it('names a code without an entry', () => expect(errorPageProblems(codes, entry('one', 1))).toEqual(['docs/errors.md has no entry for two']));

  it('names an entry without a code', () => {
    expect(errorPageProblems(codes, entry('one', 1) + entry('two', 2) + entry('three', 1))).toEqual(['docs/errors.md:15 describes three, which is no error code']);
  });

  it('names a second entry, a wrong exit status and a missing remedy', () => {
    const found = errorPageProblems(codes, `${entry('one', 1)}${entry('one', 1)}### \`two\`\n\nExit status 1.\n\n**Cause.** That.\n`);
    expect(found).toEqual([
      'docs/errors.md:8 describes one a second time',
      'docs/errors.md:15 two must say: Exit status 2.',
      'docs/errors.md:15 two has no **What to do.**',
    ]);
  });
});

describe('warnings', () => {
  it('names those that the table does not', () => {
    const source = "attempt.warn('slow_disk', text); warn(\n  'old_moon', text)";
    expect(warningProblems(source, '# Errors\n| `slow_disk` | The disk is slow. |\n')).toEqual(['docs/errors.md does not name the warning old_moon']);
  });
});

describe('tree', () => {
  const machine = `/${'root'}/project`;

  it.each([`cd ${machine}`, `"${machine}/x"`, `https://${'registry'}.npmjs.org/x`])('refuses %s', (line) => expect(textProblems('a.md', line)).toHaveLength(1));

  it.each(['./root/x', 'the/work/of', '/home/you/project', 'src/root/index.ts'])('accepts %s', (line) => expect(textProblems('a.md', line)).toEqual([]));

  it.each(['src/utils.ts', 'src/helpers/a.ts', 'src/common/a.ts', 'a/misc.test.ts'])('refuses the name %s', (file) => expect(nameProblems(file)).toHaveLength(1));

  it.each(['src/utilities-of-spring.ts', 'src/shared-budget.ts'])('accepts the name %s', (file) => expect(nameProblems(file)).toEqual([]));
});
