import { isDeepStrictEqual } from 'node:util';
import { CHANGED_ARTIFACT, type Catalog } from './catalog.js';

/** What is wrong with following one catalog by another: rows are never edited or removed, and a changed pin has a catalog version of its own. Pure. */
export function successionProblems(before: Catalog, after: Catalog): readonly string[] {
  if (after.catalogVersion < before.catalogVersion) return [`catalog.json: catalogVersion went back from ${before.catalogVersion} to ${after.catalogVersion}.`];
  if (after.catalogVersion === before.catalogVersion && !isDeepStrictEqual(after.flows, before.flows)) return [`catalog.json: ${CHANGED_ARTIFACT}.`];
  return before.history.flatMap((row, at) => (isDeepStrictEqual(row, after.history[at]) ? [] : [`catalog.json: the row of catalogVersion ${row.catalogVersion} was edited. Rows are only appended.`]));
}

/** What is wrong between a catalog and the files that it serves, or once served. `digestOf` tells the sha256 of a published file, or `undefined` when there is none. Pure. */
export function servedProblems({ catalogVersion, history }: Catalog, digestOf: (path: string) => string | undefined): readonly string[] {
  return history.flatMap((row) => row.flows.flatMap(({ source: { path, sha256 } }) => {
    const actual = digestOf(path);
    if (actual === sha256) return [];
    const what = actual === undefined ? `${path} is missing` : `${path} has the sha256 ${actual}, not ${sha256}`;
    return [row.catalogVersion === catalogVersion ? `catalog.json: ${CHANGED_ARTIFACT}: ${what}.` : `catalog.json: ${what}, which catalogVersion ${row.catalogVersion} served.`];
  }));
}
