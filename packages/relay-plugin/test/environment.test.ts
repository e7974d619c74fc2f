import { describe, expect, it } from 'vitest';
import { nodeEnvironment, titleOf } from '../src/environment.js';
import { nodeOf, VARIABLES } from './fakes.js';

describe('the environment of a node', () => {
  it('is read', () => {
    const { reportFormat, ...rest } = nodeOf();
    expect(reportFormat).toBe(VARIABLES['RELAY_FLOW_REPORT_FORMAT']);
    expect(rest).toEqual({
      home: '/var/relay', runId: 'shop/fix/SHOP-1', ticket: 'SHOP-1', node: 'build', nodeType: 'agent', targets: ['review', 'end', 'fix'], autoReject: false, command: 'relay-flow',
    });
    expect(titleOf(nodeOf())).toBe('SHOP-1:build');
  });
  it.each(Object.keys(VARIABLES))('is none without %s', (name) => {
    const { [name]: _left, ...rest } = VARIABLES;
    expect(nodeEnvironment(rest)).toBeUndefined();
  });
  it.each(Object.keys(VARIABLES))('is none with an empty %s, unless it is the nudge prompt (pitfall 11)', (name) => {
    expect(nodeEnvironment({ ...VARIABLES, [name]: '' }) !== undefined).toBe(name === 'RELAY_FLOW_NUDGE_PROMPT');
  });
  it.each(['not json', '{}', 'null', '["review"]', '[{"when":"x"}]', '[{"target":""}]', '[{"target":1}]'])('is none with the next steps %s', (steps) => {
    expect(nodeEnvironment({ ...VARIABLES, RELAY_FLOW_NEXT_STEPS_JSON: steps })).toBeUndefined();
  });
  it('is none for a kind of node that is not known', () => expect(nodeEnvironment({ ...VARIABLES, RELAY_FLOW_NODE_TYPE: 'human' })).toBeUndefined());
  it('is none in a session that a person has started', () => expect(nodeEnvironment({ PATH: '/bin' })).toBeUndefined());
  it.each([['true', true], ['false', false], ['TRUE', false], ['1', false], ['', false]])('rejects by itself only when told %j', (value, rejects) => {
    expect(nodeOf({ RELAY_FLOW_AUTO_REJECT: value }).autoReject).toBe(rejects);
  });
  it('names the command', () => expect(nodeOf({ RELAY_FLOW_COMMAND: '/opt/relay-flow' }).command).toBe('/opt/relay-flow'));
});
