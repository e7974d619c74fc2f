import { describe, expect, it } from 'vitest';
import { codexHome, configOf } from '../../../src/agents/clis/codex/home.js';
import { isStrictSchema } from '../../../src/agents/clis/codex/strict-schema.js';
import type { JsonValue } from '../../../src/ports/json.js';

describe('config.toml', () => {
  it('names the provider at its root, and the MCP servers', () => {
    const text = 'model = "x"\n# model_provider = "commented"\nmodel_provider = "local"\n\n[mcp_servers.docs]\ncommand = "docs"\n[mcp_servers.docs.env]\nA = "1"\n[ mcp_servers."other-one" ]\nurl = "x"\n[profiles.a]\nmodel_provider = "b"\n';
    expect(configOf(text)).toEqual({ provider: 'local', mcpServers: ['docs', 'other-one'] });
  });

  it.each(['', 'model_provider = "openai"\n', '[profiles.a]\nmodel_provider = "b"\n', 'nonsense = = ['])('%j names neither', (text) => {
    expect(configOf(text)).toEqual({ mcpServers: [] });
  });

  it('lies in CODEX_HOME, or below the home', () => {
    expect(codexHome({ CODEX_HOME: '/c', HOME: '/h' })).toBe('/c');
    expect(codexHome({ CODEX_HOME: '', HOME: '/h' })).toBe('/h/.codex');
  });
});

describe('a schema that the strict mode takes', () => {
  const object = (properties: { readonly [name: string]: JsonValue }): JsonValue => ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false });

  it.each([
    object({}),
    object({ a: { type: 'number' }, b: { type: ['string', 'null'], description: 'x' } }),
    object({ a: { type: 'array', items: object({ b: { type: 'string', enum: ['x', 'y'] } }) } }),
    object({ a: { anyOf: [{ type: 'string' }, object({ b: { type: 'boolean' } })] } }),
  ])('%j', (schema) => expect(isStrictSchema(schema)).toBe(true));
});

describe('a schema that it refuses', () => {
  it.each([
    [{}],
    [true],
    [{ type: 'string' }],
    [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
    [{ type: 'object', properties: { a: { type: 'string' } }, required: [], additionalProperties: false }],
    [{ type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false }],
    [{ type: 'object', properties: { a: { type: 'array' } }, required: ['a'], additionalProperties: false }],
    [{ type: 'object', properties: { a: { type: 'string', pattern: '^x' } }, required: ['a'], additionalProperties: false }],
    [{ type: 'object', properties: { a: { type: 'object' } }, required: ['a'], additionalProperties: false }],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/x' } }, required: ['a'], additionalProperties: false, $defs: { x: { type: 'string' } } }],
  ])('%j', (schema) => expect(isStrictSchema(schema)).toBe(false));
});
