import type { JsonValue } from '../../../ports/json.js';
import { listOf, recordOf } from '../../driver/record.js';

/** Keywords that the Responses API takes in its strict mode, and that mean there what they mean in JSON Schema. */
const KEYWORDS = new Set(['additionalProperties', 'anyOf', 'description', 'enum', 'items', 'properties', 'required', 'title', 'type']);

/**
 * Whether a provider that holds a model to a schema only in strict mode takes this one: an object at the root, and every object with all of its properties
 * required and no others allowed. Any other schema is refused with HTTP 400, so it must not be sent. Pure.
 */
export function isStrictSchema(schema: JsonValue): boolean {
  const root = recordOf(schema);
  return root['type'] === 'object' && root['anyOf'] === undefined && isStrict(schema);
}

function isStrict(schema: JsonValue | undefined): boolean {
  const keywords = recordOf(schema);
  const { type, properties, items, anyOf } = keywords;
  if (!Object.keys(keywords).every((keyword) => KEYWORDS.has(keyword)) || (type === undefined && anyOf === undefined)) return false;
  if (anyOf !== undefined && !listOf(anyOf).every(isStrict)) return false;
  const types = typeof type === 'string' ? [type] : listOf(type);
  if (types.includes('array') && !isStrict(items)) return false;
  if (!types.includes('object')) return true;
  const members = Object.entries(recordOf(properties));
  const required = new Set(listOf(keywords['required']));
  return keywords['additionalProperties'] === false && members.length === required.size && members.every(([name, member]) => required.has(name) && isStrict(member));
}
