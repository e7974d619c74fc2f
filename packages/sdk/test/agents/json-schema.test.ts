import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../src/agents/json-schema.js';
import { endlessReference } from '../../src/agents/schema-references.js';

describe('compileSchema', () => {
  it.each([
    [{ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }, { a: 1 }, {}],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'number' }] }, [1], ['x']],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'array', prefixItems: [{ type: 'number' }] }, [1], ['x']],
    [{ $schema: 'https://json-schema.org/draft/2019-09/schema', $defs: { n: { type: 'number' } }, $ref: '#/$defs/n' }, 1, 'x'],
    [{ type: 'string', format: 'email', 'x-order': 1, description: 'unknown keywords are allowed' }, 'not checked', 5],
    [{ $defs: { tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } }, required: ['children'] } }, $ref: '#/$defs/tree' }, { children: [{ children: [] }] }, { children: [{}] }],
  ])('%j', (schema, good, bad) => {
    const check = compileSchema(schema);
    expect(check(good)).toBeUndefined();
    expect(check(bad)).toEqual(expect.any(String));
  });

  it('names the place of what does not fit', () => {
    expect(compileSchema({ type: 'object', properties: { a: { type: 'array', items: { type: 'number' } } } })({ a: [1, 'x'] })).toBe('/a/1 must be number');
  });

  it.each([{ type: 'nonsense' }, { $ref: '#/$defs/missing' }, { properties: 5 }, { pattern: '(' }])('refuses %j', (schema) => {
    expect(() => compileSchema(schema)).toThrow(expect.objectContaining({ code: 'llm_cli_unresolved' }));
  });
});

describe('endlessReference', () => {
  it.each([
    { $ref: '#' },
    { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, type: 'object' },
    { allOf: [{ anyOf: [{ type: 'string' }, { $ref: '#' }] }] },
    { if: { type: 'object' }, then: { $ref: '#' } },
    { properties: { a: { $anchor: 'here', not: { $ref: '#here' } } } },
    { dependentSchemas: { a: { $ref: '#' } } },
    { $defs: { 'a/b': { $ref: '#/$defs/a~1b' } } },
  ])('finds the circle in %j', (schema) => expect(endlessReference(schema)).toEqual(expect.any(String)));

  it.each([
    { properties: { child: { $ref: '#' } } },
    { items: { $ref: '#' } },
    { $defs: { leaf: { type: 'string' } }, anyOf: [{ $ref: '#/$defs/leaf' }, { $ref: '#/$defs/leaf' }] },
    { const: { $ref: '#' } },
    { properties: { $ref: { type: 'string' } } },
    { $ref: 'https://example.com/elsewhere' },
  ])('lets %j pass', (schema) => expect(endlessReference(schema)).toBeUndefined());
});
