import { describe, expect, it } from 'vitest';
import { flow, webhook } from '../../src/index.js';
import { getFlowDefinition, isFlowHandle } from '../../src/runtime.js';

const body = async (): Promise<void> => {};

describe('flow()', () => {
  it('gives an opaque, frozen handle that carries its name', () => {
    const handle = flow('hello', body);
    expect(handle.name).toBe('hello');
    expect(Object.isFrozen(handle)).toBe(true);
    expect(Object.keys(handle)).toEqual(['name', 'on']);
  });

  it('keeps what was declared for the runtime', () => {
    expect(getFlowDefinition(flow('plain', body))).toEqual({ name: 'plain', header: {}, body, handlers: [] });
    expect(getFlowDefinition(flow('headed', { version: '1.0.0' }, body))).toEqual({ name: 'headed', header: { version: '1.0.0' }, body, handlers: [] });
  });

  it.each(['', '   ', '\n\t'])('refuses the blank name %j', (name) => {
    expect(() => flow(name, body)).toThrow(TypeError);
  });

  it.each([[null], ['text'], [{}]])('refuses %j as a body', (wrong) => {
    expect(() => flow('wrong', {}, wrong as never)).toThrow('flow "wrong": the body must be a function');
  });

  it.each([[null], ['text'], [[]], [3]])('refuses %j as a header', (wrong) => {
    expect(() => flow('wrong', wrong as never, body)).toThrow('flow "wrong": the header must be an object');
  });
});

describe('handlers', () => {
  const source = webhook('deploy');

  it('may be chained or declared one by one, and stay in order', () => {
    const first = async (): Promise<void> => {};
    const second = async (): Promise<void> => {};
    const handle = flow('triggered', { version: '1.0.0' });
    handle.on(source, first).on(webhook('rollback'), second);
    expect(getFlowDefinition(handle).handlers).toEqual([{ source, body: first }, { source: webhook('rollback'), body: second }]);
  });

  it('are required when there is no body', () => {
    expect(() => getFlowDefinition(flow('empty', {}))).toThrow('flow "empty" has no body');
    expect(() => getFlowDefinition(flow('empty'))).toThrow(TypeError);
    expect(getFlowDefinition(flow('handled').on(source, body)).body).toBeUndefined();
  });

  it('must have a made source and a function', () => {
    const handle = flow('triggered', body);
    expect(() => handle.on({ kind: 'webhook', name: 'deploy' }, body)).toThrow('.on() needs a source made by');
    expect(() => handle.on(source, undefined as never)).toThrow('.on() needs a function');
    expect(getFlowDefinition(handle).handlers).toEqual([]);
  });
});

describe('what is not a handle', () => {
  const handle = flow('real', body);

  it.each([
    ['a copy of a handle', { ...handle }],
    ['an object of the same form', { name: 'real', on: handle.on }],
    ['an object that inherits from one', Object.create(handle)],
    ['null', null],
    ['undefined', undefined],
    ['a function', body],
    ['a string', 'real'],
  ])('%s is refused', (_, lookAlike) => {
    expect(isFlowHandle(lookAlike)).toBe(false);
    expect(() => getFlowDefinition(lookAlike)).toThrow(new TypeError('expected an @relayflows/surface flow handle'));
  });

  it('a handle is one', () => {
    expect(isFlowHandle(handle)).toBe(true);
  });
});
