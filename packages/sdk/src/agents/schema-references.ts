import type { JsonValue } from '../ports/json.js';

/** Keywords whose schemas apply to the same place of the reply: a circle through them alone never ends. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];
/** Keywords whose members are values and no schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

type Members = { readonly [key: string]: JsonValue };

/** The first reference that leads back to itself without going deeper into the reply; `undefined` when there is none. */
export function endlessReference(schema: Members): string | undefined {
  const named = anchorsOf(schema);
  const finished = new Set<Members>();
  const entered = new Set<Members>();
  const visit = (node: Members, at: string): string | undefined => {
    if (finished.has(node)) return undefined;
    if (entered.has(node)) return at;
    entered.add(node);
    for (const [next, where] of inPlace(node, schema, named)) {
      const found = visit(next, where);
      if (found !== undefined) return found;
    }
    entered.delete(node);
    finished.add(node);
    return undefined;
  };
  for (const [node, at] of everySchema(schema, '#')) {
    const found = visit(node, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function* inPlace(node: Members, root: Members, named: ReadonlyMap<string, Members>): Generator<readonly [Members, string]> {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const reference = node[keyword];
    if (typeof reference !== 'string') continue;
    const target = lookUp(reference, root, named);
    if (target !== undefined) yield [target, `${keyword} ${reference}`];
  }
  for (const keyword of IN_PLACE) {
    const below = node[keyword];
    const schemas: readonly (JsonValue | undefined)[] = isList(below) ? below : keyword === 'dependentSchemas' && isMembers(below) ? Object.values(below) : [below];
    for (const schema of schemas) if (isMembers(schema)) yield [schema, keyword];
  }
}

function lookUp(reference: string, root: Members, named: ReadonlyMap<string, Members>): Members | undefined {
  if (reference === '#' || reference === '') return root;
  if (!reference.startsWith('#/')) return named.get(reference);
  let node: JsonValue | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null) return undefined;
    node = (node as Members)[key];
  }
  return isMembers(node) ? node : undefined;
}

function anchorsOf(schema: Members): Map<string, Members> {
  const named = new Map<string, Members>();
  for (const [node] of everySchema(schema, '#')) {
    for (const keyword of ['$anchor', '$dynamicAnchor']) if (typeof node[keyword] === 'string') named.set(`#${node[keyword]}`, node);
    if (typeof node['$id'] === 'string') named.set(node['$id'], node);
  }
  return named;
}

function* everySchema(value: JsonValue | undefined, at: string): Generator<readonly [Members, string]> {
  if (isList(value)) {
    for (const [index, member] of value.entries()) yield* everySchema(member, `${at}/${index}`);
  } else if (isMembers(value)) {
    yield [value, at];
    for (const [key, member] of Object.entries(value)) if (!DATA.has(key)) yield* everySchema(member, `${at}/${key}`);
  }
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isMembers(value: JsonValue | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
