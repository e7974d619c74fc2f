import { CHANGED_ARTIFACT, type Catalog, type Pin } from './catalog.js';

/** The newest version of a flow, with the commit that added its file. */
export interface Newest {
  readonly id: string;
  readonly version: number;
  readonly path: string;
  readonly sha256: string;
  readonly ref: string;
}

export interface PinMove {
  readonly id: string;
  /** `undefined`: it was not served before. */
  readonly from: number | undefined;
  readonly to: number;
}

/** What a catalog should become, as plain data. */
export type CatalogMove =
  /** It serves the newest versions. */
  | { readonly kind: 'current'; readonly catalogVersion: number }
  | { readonly kind: 'move'; readonly catalog: Catalog; readonly moves: readonly PinMove[] }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

/** Moves every pin to the newest version of its flow: one catalog version further, with a row of what it serves. Pins of other flows stay. Pure. */
export function planMove(catalog: Catalog | undefined, newest: readonly Newest[]): CatalogMove {
  const pins = new Map(catalog?.flows.map((pin) => [pin.id, pin]));
  const moves: PinMove[] = [];
  const reasons: string[] = [];
  for (const { id, version, path, sha256, ref } of newest) {
    const pin = pins.get(id);
    if (pin !== undefined && pin.version > version) reasons.push(`The catalog serves version ${pin.version} of ${id}, but its newest is ${version}.`);
    else if (pin?.version === version && pin.source.sha256 !== sha256) reasons.push(`Version ${version} of ${id} is not what is served: ${CHANGED_ARTIFACT}.`);
    else if (pin?.version !== version) {
      moves.push({ id, from: pin?.version, to: version });
      pins.set(id, { id, version, source: { path, release: `${id}-v${version}`, ref, sha256 } });
    }
  }
  if (reasons.length > 0) return { kind: 'refused', reasons };
  if (moves.length === 0) return catalog === undefined ? { kind: 'refused', reasons: ['Nothing is published that could be served.'] } : { kind: 'current', catalogVersion: catalog.catalogVersion };
  const flows: Pin[] = [...pins.values()];
  const catalogVersion = (catalog?.catalogVersion ?? 0) + 1;
  return { kind: 'move', moves, catalog: { catalogVersion, flows, history: [...(catalog?.history ?? []), { catalogVersion, flows }] } };
}
