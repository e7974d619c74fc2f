import { describe, expect, it } from 'vitest';
import { parseReport } from '../src/report/index.js';
import { decideTurn, HandledTurns, OpenApproval, type FinishedTurn } from '../src/turn.js';
import { CONTRACT, HITL, nodeOf } from './fakes.js';
import { AT_END, FOUR_FIELDS, reportText } from './report/texts.js';

const AGENT = nodeOf();
const PERSON = nodeOf(HITL);
const PERSON_AUTO = nodeOf({ ...HITL, RELAY_FLOW_AUTO_REJECT: 'true' });
const FAILURE = reportText({ STATUS: 'failure', 'NEXT STEP': 'fix' });

function turn(text: string, aborted = false): FinishedTurn {
  return { sessionId: 'ses', messageId: 'msg', text, aborted };
}

describe('what follows from a finished turn', () => {
  it.each([
    ['agent', 'a report', AGENT, reportText(), 'deliver'],
    ['agent', 'a report of four fields', AGENT, FOUR_FIELDS, 'deliver'],
    ['agent', 'a failure', AGENT, FAILURE, 'deliver'],
    ['agent', 'half a report', AGENT, 'STATUS: success', 'correct'],
    ['agent', 'talk', AGENT, 'I am done.', 'correct'],
    ['agent', 'nothing', AGENT, '', 'correct'],
    ['person', 'a report', PERSON, reportText(), 'ask'],
    ['person', 'a failure', PERSON, FAILURE, 'ask'],
    ['person', 'a failure that needs no approval', PERSON_AUTO, FAILURE, 'deliver'],
    ['person', 'a success, though failures need no approval', PERSON_AUTO, reportText(), 'ask'],
    ['person', 'talk, which is not corrected (pitfall 20)', PERSON, 'Shall I change the parser?', 'nothing'],
    ['person', 'nothing', PERSON, '', 'nothing'],
    ['person', 'talk with one label (pitfall 20)', PERSON, 'NOTES: I found this.\nNOTES: and this.', 'nothing'],
    ['person', 'talk about labels', PERSON, 'I will answer with STATUS: success and NEXT STEP: review then.', 'nothing'],
    ['person', 'half a report', PERSON, 'So:\nSTATUS: success\nNEXT STEP: review', 'correct'],
  ] as const)('%s, %s', (_who, _what, node, text, expected) => expect(decideTurn(node, turn(text)).do).toBe(expected));

  it('is nothing when the turn was stopped or failed, even with a whole report', () => {
    for (const node of [AGENT, PERSON, PERSON_AUTO]) {
      for (const text of [reportText(), FAILURE, 'STATUS: success\nNEXT STEP: review', '']) expect(decideTurn(node, turn(text, true))).toEqual({ do: 'nothing' });
    }
  });
  it('is a fixed correction: what is wrong and the contract, never the nudge of the node (pitfall 21)', () => {
    const decision = decideTurn(AGENT, turn(reportText({ STATUS: 'done' })));
    expect(decision).toEqual({ do: 'correct', text: `Your last answer could not be taken as the report of this node:\n- The value of STATUS is "done": write success or failure and nothing else on that line.\n\nAnswer with the corrected report only.\n\n${CONTRACT}` });
    expect(JSON.stringify(decision)).not.toContain('NUDGE');
  });
  it.each([
    ['a node that cannot be chosen', reportText({ 'NEXT STEP': 'review (as agreed)' }), 'NEXT STEP "review (as agreed)" is none of the names that can be chosen here.'],
    ['a failure at the end', reportText({ ...AT_END, STATUS: 'failure' }), 'A failure may not choose end as NEXT STEP.'],
    ['feedback at the end', reportText({ ...AT_END, 'EXPECTED RESULT': 'none' }), 'Nobody comes after end: with NEXT STEP end, write exactly None for EXPECTED RESULT.'],
  ])('nobody is asked to approve %s', (_what, text, problem) => {
    for (const node of [AGENT, PERSON, PERSON_AUTO]) expect(decideTurn(node, turn(text))).toMatchObject({ do: 'correct', text: expect.stringContaining(`\n- ${problem}\n`) as string });
  });
  it('leaves to the server which status may choose what', () => expect(decideTurn(AGENT, turn(reportText({ 'NEXT STEP': 'fix' }))).do).toBe('deliver'));
  it('does not know better than the server where no targets are named', () => expect(decideTurn(nodeOf({ RELAY_FLOW_NEXT_STEPS_JSON: '[]' }), turn(reportText({ 'NEXT STEP': 'x' }))).do).toBe('deliver'));
  it('delivers exactly what was parsed', () => {
    const parsed = parseReport(reportText());
    expect(decideTurn(PERSON, turn(reportText()))).toEqual({ do: 'ask', report: parsed.ok ? parsed.report : undefined });
  });
});

describe('a turn', () => {
  it('is taken once, told apart by session and message (pitfall 12)', () => {
    const turns = new HandledTurns();
    expect(turns.take(turn('a'))).toBe(true);
    expect(turns.take(turn('b'))).toBe(false);
    expect(turns.take({ ...turn('a'), messageId: 'other' })).toBe(true);
    expect(turns.take({ ...turn('a'), sessionId: 'other' })).toBe(true);
  });
});

describe('an approval', () => {
  it('is of one message, once (pitfall 16)', () => {
    const approval = new OpenApproval();
    expect(approval.close(turn('a'))).toBe(false);
    approval.open(turn('a'));
    expect(approval.close({ ...turn('a'), messageId: 'newer' })).toBe(false);
    expect(approval.close({ ...turn('a'), sessionId: 'other' })).toBe(false);
    expect(approval.close(turn('a'))).toBe(true);
    expect(approval.close(turn('a'))).toBe(false);
  });
  it('ends with the next one, and with everything that makes it old', () => {
    const approval = new OpenApproval();
    approval.open(turn('a'));
    approval.open({ ...turn('a'), messageId: 'newer' });
    expect(approval.close(turn('a'))).toBe(false);
    approval.invalidate();
    expect(approval.close({ ...turn('a'), messageId: 'newer' })).toBe(false);
  });
});
