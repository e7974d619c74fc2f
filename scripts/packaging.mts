/**
 * `npm run test:packaging`: installs what npm would publish into an empty folder, without running install scripts, and follows the README there:
 * its first flow, checked and run by the installed command, inside a git repository and outside of one, and where packages are not hoisted.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { snippetsOf } from './docs/snippets.mjs';
import { packPackages } from './pack.mjs';

interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { tally: { type: 'string' } } });

const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(RELAYFLOWS?|FLOWS|GIT)_/.test(name) && !/^npm_(config_local|package|lifecycle)/.test(name)));

async function command(cwd: string, file: string, ...args: readonly string[]): Promise<string> {
  const result = await execa(file, args, { cwd, env: environment, extendEnv: false, all: true, stdin: 'ignore', reject: false, timeout: 300_000 });
  if (result.failed) throw new Error(`${[file, ...args].join(' ')} ended with ${result.exitCode ?? result.signal}:\n${result.all}`);
  return result.all;
}

function expectMatch(output: string, pattern: RegExp): void {
  if (!pattern.test(output)) throw new Error(`Expected ${String(pattern)} in:\n${output}`);
}

async function firstFlow(): Promise<{ readonly name: string; readonly code: string }> {
  const snippet = snippetsOf('README.md', await readFile(join(root, 'README.md'), 'utf8')).find(({ language, mark }) => language === 'ts' && mark.endsWith('.flow.ts'));
  if (snippet === undefined) throw new Error('README.md shows no flow: a snippet marked `ts <name>.flow.ts`.');
  return { name: snippet.mark, code: `${snippet.code}\n` };
}

/** A folder with the packages installed, as a reader has it after `npm install @relayflows/cli @relayflows/surface`. */
async function install(folder: string, tarballs: readonly string[], ...options: readonly string[]): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await command(folder, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...options, ...tarballs);
}

function checks(work: string, tarballs: readonly string[], flow: { readonly name: string; readonly code: string }): readonly Check[] {
  const folder = join(work, 'installed');
  const flows = join(folder, 'node_modules/.bin/flows');
  const runs = async (cwd: string): Promise<void> => {
    await writeFile(join(cwd, flow.name), flow.code);
    expectMatch(await command(cwd, flows, 'check', flow.name), /CHECK PASSED/);
    expectMatch(await command(cwd, flows, 'run', flow.name, '--input', '{}'), /RUN \S+ completed .*completionReason: success/);
    expectMatch(await command(cwd, flows, 'runs'), /completed/);
  };
  return [
    { name: 'the packages can be installed without running anything', run: () => install(folder, tarballs) },
    { name: 'the command says its version', run: async () => expectMatch(await command(folder, flows, '--version'), /^\d+\.\d+\.\d+/) },
    { name: 'npx finds the command by the name of the package', run: async () => expectMatch(await command(folder, 'npx', '--no-install', '@relayflows/cli', '--version'), /^\d+\.\d+\.\d+/m) },
    { name: 'the sdk and the surface can be imported', run: async () => expectMatch(await command(folder, 'node', '--input-type=module', '-e', "import { createRuntime } from '@relayflows/sdk'; import { flow } from '@relayflows/surface'; console.log(typeof createRuntime, typeof flow)"), /function function/) },
    {
      name: 'steps find the change helpers, which run without anything else that is installed',
      run: async () => {
        const flow = "import { flow } from '@relayflows/surface';\nexport default flow('helpers', async (f) => {\n  console.error(await f.run('relayflow-open-change --help && relayflow-change --help'));\n  f.done('success');\n});\n";
        await writeFile(join(folder, 'helpers.flow.ts'), flow);
        expectMatch(await command(folder, flows, 'run', 'helpers.flow.ts', '--input', '{}'), /relayflow-open-change --title[^]*relayflow-change draft \| ready/);
        expectMatch(await command(folder, join(folder, 'node_modules/.bin/relayflow-change'), '--help'), /relayflow-change draft \| ready/);
        expectMatch(await command(folder, 'node', '--input-type=module', '-e', "import { findForge } from '@relayflows/sdk/forge'; console.log(typeof findForge)"), /function/);
      },
    },
    {
      name: 'the first flow of the README runs in a git repository',
      run: async () => {
        await command(folder, 'git', 'init', '-q');
        await runs(folder);
      },
    },
    {
      name: 'it shows a ticket become a change request',
      run: async () => expectMatch(await command(folder, 'sh', '-c', `node_modules/.bin/flows demo; test $? -eq 3`), /change request it would have opened[\s\S]*RUN \S+ completed .*completionReason: needs_human/),
    },
    {
      name: 'relay-flow makes a home, serves it in the background, checks and draws a workflow, and stops',
      run: async () => {
        const relayFlow = join(folder, 'node_modules/.bin/relay-flow');
        const home = join(work, 'home');
        const served = async (...args: readonly string[]): Promise<string> => await command(folder, 'env', `RELAY_FLOW_HOME=${home}`, relayFlow, ...args);
        expectMatch(await served('--version'), /^\d+\.\d+\.\d+/);
        expectMatch(await served('init'), /The home is/);
        await writeFile(join(home, 'config.yaml'), (await readFile(join(home, 'config.yaml'), 'utf8')).replace('harnessConfig: {}', 'harnessConfig: { command: [cat] }'));
        await writeFile(join(folder, 'change.yaml'), 'name: change\nrepos: [app]\nnodes:\n  start: { onSuccess: [{ target: build }] }\n  build: { type: agent, agent: coder, description: Build it., onSuccess: [{ target: end }], onFailure: [{ target: build }] }\n  end: {}\n');
        await served('workflow', 'check', '--file', 'change.yaml');
        expectMatch(await served('workflow', 'graph', '--file', 'change.yaml'), /flowchart/);
        expectMatch(await served('serve', '--background'), /The server runs/);
        expectMatch(await served('run', 'list', '--json'), /"ok":true/);
        expectMatch(await served('stop'), /has stopped/);
      },
    },
    {
      name: 'the server and the grammar of reports can be imported',
      run: async () => expectMatch(await command(folder, 'node', '--input-type=module', '-e', "import { startServer } from '@relayflows/relay'; import { parseReport } from 'relay-flow-plugin/report'; console.log(typeof startServer, typeof parseReport)"), /function function/),
    },
    {
      name: 'it makes a kit, whose preflight runs and whose flow can be loaded',
      run: async () => {
        await command(folder, flows, 'generate', '--agents', 'claude', '--kit', 'kit');
        expectMatch(await command(folder, 'sh', '-c', `node kit/relay-preflight.mjs; test $? -eq 2`), /ok the kit is complete/);
        expectMatch(await command(folder, flows, 'check', 'kit/software-factory.flow.mts'), /CHECK PASSED/);
      },
    },
    {
      name: 'it runs in a folder without git and without node_modules',
      run: async () => {
        const bare = join(work, 'without git');
        await mkdir(bare);
        await runs(bare);
      },
    },
    {
      name: 'it runs where each package sees only the packages it declares',
      run: async () => {
        const strict = join(work, 'strict');
        await install(strict, tarballs, '--install-strategy=linked');
        await writeFile(join(strict, flow.name), flow.code);
        expectMatch(await command(strict, join(strict, 'node_modules/.bin/flows'), 'run', flow.name, '--input', '{}'), /RUN \S+ completed .*completionReason: success/);
      },
    },
  ];
}

const work = await mkdtemp(join(tmpdir(), 'relayflows-packaging-'));
const tally = { passed: 0, failed: 0, skipped: 0 };
try {
  const tarballs = (await packPackages(root, work)).map(({ tarball }) => tarball);
  for (const check of checks(work, tarballs, await firstFlow())) {
    try {
      await check.run();
      tally.passed += 1;
      process.stdout.write(`passed  ${check.name}\n`);
    } catch (error) {
      tally.failed += 1;
      process.stdout.write(`failed  ${check.name}\n${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
} catch (error) {
  tally.failed += 1;
  process.stdout.write(`failed  the packages can be packed\n${error instanceof Error ? error.message : String(error)}\n`);
} finally {
  await rm(work, { recursive: true, force: true });
}
process.stdout.write(`\npackaging: ${tally.passed} passed, ${tally.failed} failed\n`);
if (values.tally !== undefined) await writeFile(values.tally, JSON.stringify(tally));
process.exitCode = tally.failed === 0 ? 0 : 1;
