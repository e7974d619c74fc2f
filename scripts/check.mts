/**
 * `npm run check`: every gate, or those named as arguments. A failing gate prints what is wrong, each gate ends with one line in the summary.
 *
 * `--tally <file>` also writes `{ passed, failed, skipped }` for a caller that adds up.
 */
import { access, constants, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { dependencies } from './gates/dependencies.mjs';
import { docs } from './gates/docs.mjs';
import { errors } from './gates/errors.mjs';
import { problemsOf, type Gate } from './gates/gate.mjs';
import { imports } from './gates/imports.mjs';
import { lint } from './gates/lint.mjs';
import { packages } from './gates/packages.mjs';
import { published } from './gates/published.mjs';
import { shell } from './gates/shell.mjs';
import { tree } from './gates/tree.mjs';
import { types } from './gates/types.mjs';
import { unused } from './gates/unused.mjs';

const GATES: readonly Gate[] = [types, lint, unused, imports, packages, docs, shell, dependencies, errors, published, tree];

interface Verdict {
  readonly gate: Gate;
  readonly kind: 'passed' | 'failed' | 'skipped';
  readonly note: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));

async function installed(program: string): Promise<boolean> {
  const found = (process.env['PATH'] ?? '').split(delimiter).map((folder) => access(join(folder, program), constants.X_OK));
  return Promise.any(found).then(() => true, () => false);
}

async function judge(gate: Gate, build: Promise<readonly string[]>): Promise<Verdict> {
  const missing: string[] = [];
  for (const program of gate.programs ?? []) if (!(await installed(program))) missing.push(program);
  if (missing.length > 0) return { gate, kind: process.env['REQUIRE_TOOLS'] === '1' ? 'failed' : 'skipped', note: `needs ${missing.join(', ')}` };

  const unbuilt = gate.afterBuild === true ? await build : [];
  const started = performance.now();
  const problems = await gate.problems(root).catch((error: unknown) => [`The gate itself failed: ${error instanceof Error ? error.stack : String(error)}`]);
  const all = gate === types ? [...unbuilt, ...problems] : problems;
  if (all.length > 0) process.stdout.write(`\n${pc.bold(`${gate.name}: what is wrong`)}\n${all.map((problem) => `${problem.trimEnd()}\n`).join('')}\n`);
  const seconds = `${((performance.now() - started) / 1_000).toFixed(1)} s`;
  return all.length === 0 ? { gate, kind: 'passed', note: seconds } : { gate, kind: 'failed', note: `${seconds}, ${all.length} problem${all.length === 1 ? '' : 's'}` };
}

function select(names: readonly string[]): readonly Gate[] {
  const unknown = names.filter((name) => !GATES.some((gate) => gate.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`There is no gate called ${unknown.join(', ')}. The gates are: ${GATES.map((gate) => gate.name).join(', ')}.\n`);
    process.exit(2);
  }
  return names.length === 0 ? GATES : GATES.filter((gate) => names.includes(gate.name));
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { tally: { type: 'string' } } });
const selected = select(positionals);
const build = selected.some((gate) => gate.afterBuild === true) ? problemsOf(root, 'npm', ['run', '--silent', 'build']) : Promise.resolve([]);
const verdicts: Verdict[] = [];
for (let next = 0; next < selected.length; next += 2) verdicts.push(...(await Promise.all(selected.slice(next, next + 2).map((gate) => judge(gate, build)))));

const paint = { passed: pc.green('passed '), failed: pc.red('failed '), skipped: pc.yellow('skipped') };
for (const { gate, kind, note } of verdicts) process.stdout.write(`${paint[kind]} ${gate.name.padEnd(13)} ${gate.proves} (${note})\n`);
const count = (kind: Verdict['kind']): number => verdicts.filter((verdict) => verdict.kind === kind).length;
const tally = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
process.stdout.write(`\n${tally.passed} gates passed, ${tally.failed} failed, ${tally.skipped} skipped\n`);
if (values.tally !== undefined) await writeFile(values.tally, JSON.stringify(tally));
process.exitCode = tally.failed === 0 ? 0 : 1;
