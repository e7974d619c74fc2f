import { LABELS, type Label } from '../../src/report/labels.js';

/** A report that goes on to `review`, one label a line. */
export const VALUES: Readonly<Record<Label, string>> = {
  STATUS: 'success',
  'NEXT STEP': 'review',
  SUMMARY: '',
  COMPLETED: 'Filtered orders by date.',
  COMMITS: '1a2b3c4 Filter orders',
  'NOT COMPLETED': 'None',
  'ISSUES DISCOVERED': 'None',
  VERIFICATION: 'Tests pass.',
  NOTES: 'None',
  FEEDBACK: '',
  'REASON FOR NEXT STEP': 'Complete.',
  'REQUIRED ACTIONS': 'Read the date parser.',
  'RELEVANT CONTEXT': 'None',
  'EXPECTED RESULT': 'A decision.',
};

export const AT_END: Partial<Record<Label, string>> = {
  'NEXT STEP': 'end', 'REASON FOR NEXT STEP': 'None', 'REQUIRED ACTIONS': 'None', 'RELEVANT CONTEXT': 'None', 'EXPECTED RESULT': 'None',
};

/** The text of a report with some values changed, each line made by `line`. */
export function reportText(changes: Partial<Record<Label, string>> = {}, line: (label: Label, value: string) => string = (label, value) => `${label}: ${value}`.trimEnd()): string {
  return LABELS.map((label) => line(label, { ...VALUES, ...changes }[label])).join('\n');
}

export const FOUR_FIELDS = 'STATUS: success\nNEXT STEP: review\nSUMMARY: Filtered orders by date.\nFEEDBACK: Read the date parser.';

/** A generator of numbers in [0, 1) that gives the same ones for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
