/**
 * Makes few files of many, since Node takes longer to find and link two hundred modules than a short run takes: the runtime, as `packages/sdk/dist/bundle/`,
 * and the `flows` command with the runtime in it, as `packages/cli/dist/bundle/flows.js`.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';

const COMMON = {
  bundle: true,
  outdir: 'dist/bundle',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Half the time to compile; names stay, for stacks.
  minifyWhitespace: true,
  // Flow code imports modules that are known only then.
  logOverride: { 'unsupported-dynamic-import': 'silent' },
  logLevel: 'warning',
} as const satisfies BuildOptions;

function packageFolder(name: string): string {
  const folder = fileURLToPath(new URL(`../packages/${name}/`, import.meta.url));
  rmSync(`${folder}dist/bundle`, { recursive: true, force: true });
  return folder;
}

const sdk = packageFolder('sdk');
await build({
  ...COMMON,
  absWorkingDir: sdk,
  entryPoints: { index: 'dist/index.js', journal: 'dist/journal/index.js', agents: 'dist/agents/index.js', forge: 'dist/forge/index.js', process: 'dist/process/index.js', testing: 'dist/testing/index.js', 'change-commands': 'dist/forge/commands/main.js' },
  packages: 'external',
  // What several entries use exists once.
  splitting: true,
});
// What is imported by path needs types beside it.
writeFileSync(`${sdk}dist/bundle/change-commands.d.ts`, `export { runChangeCommand } from '../forge/commands/main.js';\n`);

const cli = packageFolder('cli');
await build({
  ...COMMON,
  absWorkingDir: cli,
  entryPoints: { flows: 'dist/main.js' },
  // The modules of the runtime rather than its bundle, so that what the command does not use is left out.
  conditions: ['development'],
  // Packages that are looked up beside the runtime when they are needed, natively or by name.
  external: ['libsql', 're2js', 'ajv', 'esbuild', 'undici', '@octokit/request', '@relayflows/generator', '@clack/prompts'],
  // Code of the runtime finds packages from where it lies, which is no longer where this file lies. Looking that up takes 4 ms, so it waits until it is needed.
  define: { 'import.meta.url': 'runtime.url' },
  banner: { js: `const runtime = { get url() { return (this.found ??= import.meta.resolve('@relayflows/sdk')); } };` },
});
writeFileSync(`${cli}dist/bundle/flows.d.ts`, `export { main } from '../main.js';\n`);
