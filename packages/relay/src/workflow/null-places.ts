import type { Located, Place } from './yaml/located.js';

/** Every null in a value, at whatever depth, items of lists included. */
export function nullPlaces(value: Located): readonly Place[] {
  switch (value.kind) {
    case 'scalar': return value.value === null ? [value.at] : [];
    case 'list': return value.items.flatMap(nullPlaces);
    case 'map': return value.entries.flatMap((entry) => nullPlaces(entry.value));
  }
}
