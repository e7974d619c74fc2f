/**
 * Writes `packages/sdk/src/agents/price-table.ts` from the model catalogue that the npm package `@earendil-works/pi-ai` (MIT) ships, which it
 * gathers from models.dev. Only facts are taken: names and prices. `npx tsx scripts/prices.mts [version]`, default the newest.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { execa } from 'execa';

const PACKAGE = '@earendil-works/pi-ai';
/** Those whose CLIs do not state what a turn costs, and those that a host may use through an adapter of its own. */
const PROVIDERS = ['anthropic', 'google', 'openai'];
const TABLE = path.join(import.meta.dirname, '../packages/sdk/src/agents/price-table.ts');

interface Cost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
}

const folder = await mkdtemp(path.join(os.tmpdir(), 'relayflows-prices-'));
try {
  const version = process.argv[2] ?? (await execa('npm', ['view', PACKAGE, 'version'])).stdout.trim();
  const published = JSON.parse((await execa('npm', ['view', PACKAGE, 'time', '--json'])).stdout) as Readonly<Record<string, string>>;
  await execa('npm', ['pack', `${PACKAGE}@${version}`, '--silent'], { cwd: folder });
  await execa('sh', ['-c', 'tar xzf *.tgz'], { cwd: folder });
  const lines = (await Promise.all(PROVIDERS.map(pricesOf))).flat();
  await writeFile(TABLE, source(version, (published[version] ?? '').slice(0, 10), lines));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function pricesOf(provider: string): Promise<string[]> {
  const file = path.join(folder, 'package/dist/providers/data', `${provider}.json`);
  const found = new Map<string, Cost>();
  collect(JSON.parse(await readFile(file, 'utf8')), found);
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, { input, output, cacheRead }]) => {
    const cached = cacheRead > 0 ? `, cachedInput: ${cacheRead}` : '';
    return `    '${id}': { input: ${input}, output: ${output}${cached} },`;
  });
}

/** The catalogue groups its models differently from version to version: whatever has an id and a cost is one. */
function collect(value: unknown, found: Map<string, Cost>): void {
  if (typeof value !== 'object' || value === null) return;
  const { id, cost } = value as { readonly id?: unknown; readonly cost?: Cost };
  // Without a price for what it writes it is no model that talks.
  if (typeof id === 'string' && cost !== undefined && cost.input > 0 && cost.output > 0) found.set(id, cost);
  else for (const member of Object.values(value)) collect(member, found);
}

function source(version: string, date: string, lines: readonly string[]): string {
  return [
    '// Written by scripts/prices.mts.',
    "import type { ModelPrice } from './charge.js';",
    '',
    '/** What models cost, in dollars per million tokens: the list prices of their makers, without surcharges for long contexts. */',
    'export const PRICE_TABLE: {',
    '  /** When the catalogue that they come from was published. */',
    '  readonly date: string;',
    '  readonly source: string;',
    '  readonly models: Readonly<Record<string, ModelPrice>>;',
    '} = {',
    `  date: '${date}',`,
    `  source: 'model catalogue of ${PACKAGE} ${version} on npm, which gathers it from models.dev',`,
    '  models: {',
    ...lines,
    '  },',
    '};',
    '',
  ].join('\n');
}
