import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { versionFile } from '../publish/names.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is no sha256');

const pinSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'is written in kebab case'),
  version: z.int().min(1),
  source: z.strictObject({
    path: z.string().min(1),
    release: z.string().min(1),
    ref: z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'is no full commit id'),
    sha256,
  }),
});

const catalogSchema = z.strictObject({
  catalogVersion: z.int().min(1),
  flows: z.array(pinSchema).min(1),
  history: z.array(z.strictObject({ catalogVersion: z.int().min(1), flows: z.array(pinSchema).min(1) })).min(1),
});

/** A version of a flow that is served. `ref` is a commit that contains the file at `path`, whose bytes have this `sha256`. */
export type Pin = z.output<typeof pinSchema>;

/** What is served: `flows` now, and `history` at each catalog version, the present one last. Rows are only ever appended. */
export type Catalog = z.output<typeof catalogSchema>;

/** A host caches what it got by the catalog's version, so under one version there is one content. */
export const CHANGED_ARTIFACT = 'the catalog changed an artifact without advancing its version';

/** A catalog read from its text, or what is wrong with it, one sentence each. */
export function readCatalog(text: string): Catalog | readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [`catalog.json is no JSON: ${error instanceof Error ? error.message : String(error)}.`];
  }
  const parsed = catalogSchema.safeParse(value);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `catalog.json: ${path.join('.') || 'the whole'} ${message}.`);
  const problems = contradictions(parsed.data);
  return problems.length === 0 ? parsed.data : problems;
}

export function isCatalog(read: Catalog | readonly string[]): read is Catalog {
  return !Array.isArray(read);
}

/** The text of a catalog: the same members always in the same order. */
export function catalogText({ catalogVersion, flows, history }: Catalog): string {
  const rows = history.map((row) => ({ catalogVersion: row.catalogVersion, flows: row.flows.map(ordered) }));
  return `${JSON.stringify({ catalogVersion, flows: flows.map(ordered), history: rows }, null, 2)}\n`;
}

function ordered({ id, version, source: { path, release, ref, sha256: digest } }: Pin): Pin {
  return { id, version, source: { path, release, ref, sha256: digest } };
}

/** What a catalog says against itself. */
function contradictions({ catalogVersion, flows, history }: Catalog): string[] {
  const problems: string[] = [];
  if (history.some((row, at) => row.catalogVersion !== at + 1) || history.length !== catalogVersion) problems.push(`catalog.json: history does not count from 1 to ${catalogVersion} without a gap.`);
  else if (!isDeepStrictEqual(history.at(-1)?.flows, flows)) problems.push(`catalog.json: ${CHANGED_ARTIFACT}: the flows differ from the row of catalogVersion ${catalogVersion}.`);
  const versions = new Map<string, string>();
  for (const row of history) {
    if (new Set(row.flows.map(({ id }) => id)).size !== row.flows.length) problems.push(`catalog.json: the row of catalogVersion ${row.catalogVersion} names a flow twice.`);
    for (const { id, version, source } of row.flows) {
      const release = `${id}-v${version}`;
      if (source.release !== release) problems.push(`catalog.json: the row of catalogVersion ${row.catalogVersion} calls the release of ${id} version ${version} ${source.release} instead of ${release}.`);
      if (!source.path.endsWith(`/${versionFile(version)}`)) problems.push(`catalog.json: the row of catalogVersion ${row.catalogVersion} has ${source.path} as version ${version} of ${id}.`);
      if ((versions.get(release) ?? source.sha256) !== source.sha256) problems.push(`catalog.json: ${release} was served with two different contents.`);
      versions.set(release, source.sha256);
    }
  }
  return problems;
}
