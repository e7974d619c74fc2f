import type { JsonValue } from '@relayflows/sdk';
import type { TaskConfigLayer } from '../task-config.js';

/**
 * Puts layers together, later ones win: maps merge key by key, everything else is replaced as a whole. Nothing that was passed in is changed, and nothing in the
 * answer is shared with it.
 */
export function mergeTaskConfig(...layers: readonly (TaskConfigLayer | undefined)[]): TaskConfigLayer {
  return layers.reduce<TaskConfigLayer>((merged, layer) => (layer === undefined ? merged : mergeMaps(merged, layer)), {});
}

/** `fromEntries` makes properties of its own whatever they are called, where an assignment would change the prototype. */
function mergeMaps(below: TaskConfigLayer, above: TaskConfigLayer): TaskConfigLayer {
  const keys = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(keys.map((key) => [key, mergeValues(own(below, key), own(above, key))]));
}

function mergeValues(below: JsonValue | undefined, above: JsonValue | undefined): JsonValue {
  if (above === undefined) return copy(below ?? null);
  return isMap(above) && isMap(below) ? mergeMaps(below, above) : copy(above);
}

function copy(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(copy);
  return isMap(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)])) : value;
}

export function isMap(value: JsonValue | undefined): value is TaskConfigLayer & JsonValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A key that was written, never one that every object has. */
export function own(map: TaskConfigLayer, key: string): JsonValue | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
