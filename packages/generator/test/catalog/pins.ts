import { sha256Of } from '../../src/publish/digest.js';
import type { Catalog, Pin } from '../../src/catalog/catalog.js';
import type { Newest } from '../../src/catalog/move.js';

export function newest(version: number, source = `${version}\n`, id = 'garden'): Newest {
  return { id, version, path: `published/flows/${id}/v${version}.flow.ts`, sha256: sha256Of(source), ref: String(version).repeat(40).slice(0, 40) };
}

export function pin(version: number, source?: string, id = 'garden'): Pin {
  const { path, sha256, ref } = newest(version, source, id);
  return { id, version, source: { path, release: `${id}-v${version}`, ref, sha256 } };
}

/** A catalog that served these, one row after the other. */
export function catalogOf(...rows: readonly (readonly Pin[])[]): Catalog {
  return { catalogVersion: rows.length, flows: [...(rows.at(-1) ?? [])], history: rows.map((flows, at) => ({ catalogVersion: at + 1, flows: [...flows] })) };
}
