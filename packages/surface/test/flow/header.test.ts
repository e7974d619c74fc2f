import { describe, expect, it } from 'vitest';
import { flow, type FlowHeader } from '../../src/index.js';
import { getFlowDefinition } from '../../src/runtime.js';

const body = async (): Promise<void> => {};
const headerOf = (header: unknown): FlowHeader => getFlowDefinition(flow('subject', header as FlowHeader, body)).header;

describe('a valid header', () => {
  const full: FlowHeader = {
    use: ['./child.flow.ts'],
    version: '1.2.3',
    hooks: ['may-deploy'],
    budget: { tokens: 1_000, dollars: 2.5, wallclock: '1h' },
    memory: { script: true, agent: false },
    tools: { relayfile: ['a'], mcp: ['search'], slack: true, github: ['read'] },
    identity: 'someone',
    workspace: 'somewhere',
    agents: { builder: { cli: 'claude', model: 'opus' } },
  };

  it('is copied whole', () => {
    expect(headerOf(full)).toEqual(full);
    expect(headerOf({ budget: '$5/run' })).toEqual({ budget: '$5/run' });
  });

  it('leaves the syntax of a budget to the runtime', () => {
    expect(headerOf({ budget: 'plenty' })).toEqual({ budget: 'plenty' });
    expect(headerOf({ budget: {} })).toEqual({ budget: {} });
  });

  it('is copied once, and frozen to its depth', () => {
    const source = structuredClone(full);
    const header = headerOf(source);
    source.agents!['builder']!.cli = 'other';
    source.use!.push('./late.flow.ts');
    expect(header).toEqual(full);
    expect(Object.isFrozen(header)).toBe(true);
    expect(Object.isFrozen(header.use)).toBe(true);
    expect(Object.isFrozen(header.agents!['builder'])).toBe(true);
    expect(() => (header as { version: string }).version = '9').toThrow(TypeError);
  });

  it('has the fields of its agents trimmed', () => {
    expect(headerOf({ agents: { builder: { cli: ' claude ', model: '\topus\n' } } }).agents).toEqual({ builder: { cli: 'claude', model: 'opus' } });
  });

  it('leaves out what is undefined', () => {
    expect(Object.keys(headerOf({ budget: undefined, version: '1.0.0', tools: { slack: undefined } }))).toEqual(['version', 'tools']);
  });

  it('may hold one list twice', () => {
    const shared = ['search'];
    expect(headerOf({ tools: { mcp: shared, relayfile: shared } }).tools).toEqual({ mcp: ['search'], relayfile: ['search'] });
  });

  it('keeps an agent called __proto__ as an agent', () => {
    const header = JSON.parse('{"agents":{"__proto__":{"cli":"claude","model":"opus"}}}') as FlowHeader;
    expect(Object.entries(headerOf(header).agents!)).toEqual([['__proto__', { cli: 'claude', model: 'opus' }]]);
    expect(headerOf(header).agents!['cli']).toBeUndefined();
  });
});

describe('unknown keys', () => {
  it.each([
    ['header', { agnets: {} }, 'agnets'],
    ['header.budget', { budget: { euros: 3 } }, 'euros'],
    ['header.memory', { memory: { script: true, shell: true } }, 'shell'],
    ['header.agents.builder', { agents: { builder: { cli: 'claude', model: 'opus', effort: 'high' } } }, 'effort'],
  ])('in %s are named with their path', (path, header, key) => {
    const call = (): unknown => headerOf(header);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(new RegExp(`^unsupported_header: unknown key "${key}" in ${path};`));
  });

  it('are reported together, with the wrong values after them', () => {
    expect(() => headerOf({ version: 3, one: 1, budget: { two: 2 } })).toThrow(
      /^unsupported_header: unknown key "one" in header; .*unknown key "two" in header\.budget; .*header\.version must be/,
    );
  });

  it.each(['constructor', 'toString', '__proto__'])('include the inherited name %s', (key) => {
    expect(() => headerOf(JSON.parse(`{"${key}":{}}`))).toThrow(`unsupported_header: unknown key "${key}" in header`);
  });
});

describe('wrong values', () => {
  it.each([
    [{ use: './child.flow.ts' }, 'header.use must be a list of strings, got "./child.flow.ts"'],
    [{ use: [1] }, 'header.use must be a list of strings'],
    [{ version: ' ' }, 'header.version must be a string that is not blank'],
    [{ hooks: [null] }, 'header.hooks must be a list of strings'],
    [{ budget: true }, 'header.budget must be a string or an object of limits, got boolean true'],
    [{ budget: { tokens: null } }, 'header.budget.tokens must be a number or a string, got null'],
    [{ memory: { script: 'yes' } }, 'header.memory.script must be true or false, got "yes"'],
    [{ tools: { mcp: true } }, 'header.tools.mcp must be a list of strings, got boolean true'],
    [{ tools: { slack: 'on' } }, 'header.tools.slack must be true, false or a list of strings'],
    [{ tools: [] }, 'header.tools must be an object, got an array'],
    [{ identity: 7 }, 'header.identity must be a string, got number 7'],
    [{ agents: { builder: 'claude' } }, 'header.agents.builder must be an object, got "claude"'],
    [{ agents: { builder: { cli: 'claude' } } }, 'header.agents.builder.model is missing'],
    [{ agents: { builder: { cli: '  ', model: 'opus' } } }, 'header.agents.builder.cli must be a string that is not blank'],
  ])('%j', (header, message) => {
    const call = (): unknown => headerOf(header);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(`flow "subject": ${message}`);
  });
});

describe('what is not plain data', () => {
  it('a getter is refused without being called', () => {
    let calls = 0;
    const header = { get version(): string { calls += 1; return '1.0.0'; } };
    expect(() => headerOf(header)).toThrow('header.version is a getter');
    const nested = { agents: { builder: Object.defineProperty({ model: 'opus' }, 'cli', { get: () => { calls += 1; return 'claude'; } }) } };
    expect(() => headerOf(nested)).toThrow('header.agents.builder.cli is a getter');
    expect(calls).toBe(0);
  });

  it('cycles are refused', () => {
    const agents: Record<string, unknown> = {};
    agents['again'] = agents;
    expect(() => headerOf({ agents })).toThrow('header.agents.again refers back to an object that contains it');
  });

  it.each([
    ['a class instance', { budget: new Map() }, 'header.budget must be a plain object'],
    ['an instance of the author\'s class', new (class { version = '1.0.0'; })(), 'header must be a plain object'],
    ['a subclass of Array', { use: new (class extends Array<string> {})() }, 'header.use must be a plain array'],
    ['a date', { version: new Date() }, 'header.version must be a plain object'],
    ['a symbol as a key', { [Symbol('secret')]: 1 }, 'header has a member keyed by a symbol'],
    ['a symbol as a value', { version: Symbol('v') }, 'header.version must be plain data, got a symbol'],
    ['a function', { version: () => '1' }, 'header.version must be plain data, got a function'],
    ['a bigint', { budget: { tokens: 10n } }, 'header.budget.tokens must be plain data, got a bigint'],
    ['a hole', { use: Object.assign([], { 1: './child.flow.ts' }) }, 'header.use must be an array without holes'],
    ['a hole at the end', { use: Object.assign([], { length: 1 }) }, 'header.use must be an array without holes'],
    ['a member of an array', { use: Object.assign(['./a.flow.ts'], { extra: 1 }) }, 'header.use must be an array without holes and without members of its own'],
  ])('%s is refused', (_, header, message) => {
    expect(() => headerOf(header)).toThrow(TypeError);
    expect(() => headerOf(header)).toThrow(message);
  });

  it('an object without a prototype is plain', () => {
    expect(headerOf(Object.assign(Object.create(null), { version: '1.0.0' }))).toEqual({ version: '1.0.0' });
  });
});
