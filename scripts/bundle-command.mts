/**
 * Makes one file of the `flows` command and the runtime: `packages/cli/dist/bundle/flows.js`. Node takes longer to find and link two hundred
 * modules than a short run takes.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const cli = fileURLToPath(new URL('../packages/cli/', import.meta.url));

/** Packages that are looked up beside the runtime when they are needed, natively or by name. */
const external = ['libsql', 're2js', 'ajv', 'esbuild'];

rmSync(`${cli}dist/bundle`, { recursive: true, force: true });
await build({
  absWorkingDir: cli,
  entryPoints: { flows: 'dist/main.js' },
  outdir: 'dist/bundle',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external,
  // Half the time to compile; names stay, for stacks.
  minifyWhitespace: true,
  // Code of the runtime finds packages from where it lies, which is no longer where this file lies. Looking that up takes 4 ms, so it waits until it is needed.
  define: { 'import.meta.url': 'runtime.url' },
  banner: { js: `const runtime = { get url() { return (this.found ??= import.meta.resolve('@relayflows/sdk')); } };` },
  // Flow code imports modules that are known only then.
  logOverride: { 'unsupported-dynamic-import': 'silent' },
  logLevel: 'warning',
});
writeFileSync(`${cli}dist/bundle/flows.d.ts`, `export { main } from '../main.js';\n`);
