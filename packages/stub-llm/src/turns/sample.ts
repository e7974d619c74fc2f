import { listOf, recordOf, textOf, type JsonRecord } from '../json.js';

/** A smallest value that a JSON schema allows, as far as CLIs ask for one beside the conversation. */
export function sampleOf(schema: JsonRecord): unknown {
  const [choice] = listOf(schema['enum']);
  if (choice !== undefined) return choice;
  const type = textOf(listOf(schema['type'])[0] ?? schema['type']) ?? (schema['properties'] === undefined ? 'string' : 'object');
  switch (type.toLowerCase()) {
    case 'object':
      return Object.fromEntries(Object.entries(recordOf(schema['properties'])).map(([name, value]) => [name, sampleOf(recordOf(value))]));
    case 'array':
      return [];
    case 'number':
    case 'integer':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return 'stub';
  }
}
