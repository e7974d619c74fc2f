import type { Source } from '../draft/schema.js';

/** The sources of a draft as the surface's `matchesIssue` takes them. */
export function filtersOf(sources: readonly Source[]): Record<string, Record<string, unknown>> {
  return Object.fromEntries(sources.map(({ kind, ...filters }) => [kind, Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))]));
}
