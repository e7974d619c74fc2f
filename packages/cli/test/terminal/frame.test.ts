import { describe, expect, test } from 'vitest';
import { ASCII, finishedLine, frameLines, UNICODE, type FrameRequest, type FrameStyle } from '../../src/terminal/frame.js';
import { NO_COLORS } from '../../src/text/colors.js';
import { widthOf } from '../../src/text/width.js';
import { completed, event, output, START, started, step, viewOf } from './events.js';

const style = (columns: number, rows = 24): FrameStyle => ({ colors: NO_COLORS, symbols: UNICODE, columns, rows });

const view = viewOf(
  started(),
  event({ type: 'phase', name: 'checking' }),
  step('run-1', 'npm test -- --coverage'),
  step('agent-12', 'Fix 日本語 the bug 🎉 that the ticket describes at great length', { kind: 'agent', label: 'coder', attempt: 2, phase: 'implementing' }),
  event({ type: 'step.progress', stepId: 'agent-12', spend: { wallclock: 1, tokens: 12_300, microDollars: 1_240_000 } }),
  output('agent-12', 'reading src/a.ts\nediting 日本語\n'),
  event({ type: 'wait.opened', stepId: 'sleep-3', wait: 'timer', dueAt: new Date(2031, 0, 1, 14, 5).getTime() }),
  event({ type: 'wait.opened', stepId: 'human-4', wait: 'human', question: 'Ship it?', to: '@you' }),
  step('run-5', 'curl', { attempt: 1 }),
  event({ type: 'step.retrying', stepId: 'run-5', attempt: 2, delayMs: 30_000, error: { code: 'step_failed', text: 'no' } }),
);
const request = (more: Partial<FrameRequest> = {}): FrameRequest => ({
  view, now: START + 12_345, tick: 3, showOutput: false, showHelp: false, keys: true, stopping: false, ...more,
});

describe('the frame', () => {
  test.each([100, 80, 60, 40, 30, 20])('at %d columns', (columns) => {
    const lines = frameLines(request({ showOutput: true, showHelp: true }), style(columns));
    expect(lines.join('\n')).toMatchSnapshot();
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  test.each([1, 2, 3, 7, 19])('never exceeds %d columns, however narrow', (columns) => {
    for (const line of frameLines(request({ showOutput: true, showHelp: true, stopping: true }), style(columns))) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  test.each([
    [80, /^ {2}0 done · 12s · a phase .*… · o output · \? help$/],
    [40, /^ {2}0 done · 12s · a phase .*… · \? help$/],
  ])('at %d columns a long phase gives way to the keys', (columns, expected) => {
    const line = frameLines(request({ view: viewOf(started(), event({ type: 'phase', name: 'a phase with a name that no terminal has room for, 日本語, by far' })) }), style(columns)).at(-1) ?? '';
    expect(line).toMatch(expected);
    expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  test('never takes the whole height of the terminal', () => {
    const many = viewOf(started(), ...Array.from({ length: 100 }, (_, index) => step(`run-${index}`, 'x')), output('run-99', 'a\nb\nc\n'));
    for (const rows of [2, 3, 5, 10, 24]) {
      const lines = frameLines(request({ view: many, showOutput: true, showHelp: true }), style(80, rows));
      expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
    }
    expect(frameLines(request({ view: many }), style(80, 10))).toContain('  and 93 more');
  });

  test('a poor terminal gets letters', () => {
    expect(frameLines(request(), { ...style(80), symbols: ASCII }).join('\n')).toMatch(/^[\x20-\x7e·…\n日本語🎉]*$/u);
  });

  test('without a keyboard no key is offered', () => {
    expect(frameLines(request({ keys: false }), style(80)).at(-1)).not.toContain('help');
  });
});

test.each([80, 40, 20])('a finished step at %d columns', (columns) => {
  const live = view.live.get('agent-12')!;
  const lines = [
    finishedLine(live, completed('agent-12', { spend: { wallclock: 1, tokens: 12_300, microDollars: 1_240_000 } }), style(columns)),
    finishedLine(live, completed('agent-12', { ok: false, exitCode: 2, error: { code: 'step_failed', text: 'no' } }), style(columns)),
  ];
  expect(lines.join('\n')).toMatchSnapshot();
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
});
