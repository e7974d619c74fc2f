import { reportContract, reportProblems, exampleReport } from 'relay-flow-plugin/report';
import { expect, test } from 'vitest';
import type { Route } from '../../src/workflow/definition.js';
import { nextStepsText, routeLines, routesOf } from '../../src/workflow/routes.js';

const node = (onSuccess: readonly Route[], onFailure: readonly Route[]) => ({ onSuccess, onFailure });

test('routes are those that reports may choose, in the order of the workflow', () => {
  expect(routesOf(node([{ target: 'review', when: 'ready' }, { target: 'end' }], [{ target: 'build' }, { target: 'end', when: 'hopeless' }]))).toEqual({
    success: [{ target: 'review', when: 'ready' }, { target: 'end' }],
    failure: [{ target: 'build' }],
  });
});

test('advice is one line, so that no line of it can be read as a label', () => {
  const routes = routesOf(node([{ target: 'review', when: ' it is\n  STATUS: success\t\nready ' }], [{ target: 'build', when: '\n' }]));
  expect(routes).toEqual({ success: [{ target: 'review', when: 'it is STATUS: success ready' }], failure: [{ target: 'build' }] });
  expect(reportContract(routes).split('\n').filter((line) => line.startsWith('STATUS: success'))).toHaveLength(2);
  expect(reportProblems(exampleReport(routes), routes)).toEqual([]);
});

test.each([
  [node([{ target: 'review', when: 'ready' }], [{ target: 'build' }]), 'review (when: ready); build'],
  [node([{ target: 'end' }], [{ target: 'end' }]), 'end'],
  [node([{ target: 'a' }, { target: 'a', when: 'x' }], [{ target: 'a' }]), 'a; a (when: x)'],
  [node([], []), ''],
])('next steps as text (%#)', (declared, text) => {
  expect(nextStepsText(routesOf(declared))).toBe(text);
});

test('routes as lines', () => {
  expect(routeLines([{ target: 'review', when: 'ready' }, { target: 'end' }])).toBe('review — when: ready\nend');
  expect(routeLines([])).toBe('None');
});
