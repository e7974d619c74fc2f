type Waits = ReadonlyMap<string, readonly string[]>;

/**
 * The circles in which tickets wait for each other: each from its first ticket on, and back to it. `waits` says for which others a ticket waits; circles come in its
 * order. A ticket that only waits for one of a circle is in none. Without a circle it takes time in proportion to what waits.
 */
export function circles(waits: Waits): readonly (readonly string[])[] {
  // Who waits for nobody, or is waited for by nobody, is in no circle; mostly nobody is left.
  const inside = withoutEnds(reversed(withoutEnds(waits)));
  const found: (readonly string[])[] = [];
  const told = new Set<string>();
  for (const key of waits.keys()) {
    if (told.has(key) || !inside.has(key)) continue;
    const circle = shortest(waits, inside, key);
    for (const member of circle) told.add(member);
    if (circle.length > 0) found.push(circle);
  }
  return found;
}

/** Leaves out who leads nowhere, and then who leads only to them. */
function withoutEnds(edges: Waits): Waits {
  const left = new Map([...edges].map(([from, to]) => [from, new Set(to.filter((key) => edges.has(key)))]));
  const into = reversed(edges);
  const ends = [...left].filter(([, to]) => to.size === 0).map(([key]) => key);
  for (let key = ends.pop(); key !== undefined; key = ends.pop()) {
    left.delete(key);
    for (const from of into.get(key) ?? []) {
      const to = left.get(from);
      if (to?.delete(key) === true && to.size === 0) ends.push(from);
    }
  }
  return new Map([...left].map(([key, to]) => [key, [...to]]));
}

/** The same, seen from those who are waited for. */
function reversed(edges: Waits): Waits {
  const into = new Map<string, string[]>([...edges.keys()].map((key) => [key, []]));
  for (const [from, to] of edges) for (const key of to) into.get(key)?.push(from);
  return into;
}

/** The shortest way from a ticket back to itself; empty when there is none. */
function shortest(waits: Waits, inside: Waits, start: string): readonly string[] {
  const from = new Map<string, string>();
  const next = [start];
  for (const key of next) {
    for (const other of waits.get(key) ?? []) {
      if (other === start) {
        const way = [key];
        for (let step = key; step !== start; way.push(step)) step = from.get(step) ?? start;
        return [...way.toReversed(), start];
      }
      if (!inside.has(other) || from.has(other)) continue;
      from.set(other, key);
      next.push(other);
    }
  }
  return [];
}
