import { describe, expect, it } from 'vitest';
import { exampleReport, readRegisterMessage, readReportMessage } from '../../src/report/index.js';

const report = exampleReport({ success: [{ target: 'review' }], failure: [] });
const address = { runId: 'shop/fix/SHOP-1', node: 'build', reportId: 'ses_1:msg_2' };

describe('the message of a report', () => {
  it('is read', () => expect(readReportMessage(JSON.parse(JSON.stringify({ ...address, report })))).toEqual({ ok: true, message: { ...address, report } }));
  it.each([
    ['no object', 3, ['The message must be an object with the keys runId, node, reportId, report.']],
    ['a list', [], ['The message must be an object with the keys runId, node, reportId, report.']],
    ['null', null, ['The message must be an object with the keys runId, node, reportId, report.']],
    ['another case (pitfall 47)', { ...address, RunID: 'x', report }, ['The message has the unknown key "RunID"; it must be written runId.']],
    ['only another case (pitfall 47)', { RunId: 'x', node: 'a', reportId: 'b', report }, ['The message has no key runId.', 'The message has the unknown key "RunId"; it must be written runId.']],
    ['an unknown key', { ...address, report, visit: 1 }, ['The message has the unknown key "visit".']],
    ['an empty id', { ...address, runId: ' ', report }, ['runId of the message must not be empty.']],
    ['a number', { ...address, node: 1, report }, ['node of the message must be a text.']],
    ['no report', address, ['The message has no key report.']],
  ])('is refused with %s', (_name, json, problems) => expect(readReportMessage(json)).toEqual({ ok: false, problems }));
  it.each([
    ['no object', 'text', ['report must be an object with the keys status, nextStep, summary, feedback.']],
    ['a word that is no status', { ...report, status: 'Success' }, ['report.status must be success or failure.']],
    ['another case', { ...report, Status: 'success' }, ['report has the unknown key "Status"; it must be written status.']],
    ['another case below', { ...report, summary: { ...report.summary, Notes: 'x' } }, ['report.summary has the unknown key "Notes"; it must be written notes.']],
    ['a section missing', { ...report, feedback: { reasonForNextStep: 'a', requiredActions: 'b', relevantContext: 'c' } }, ['report.feedback has no key expectedResult.']],
    ['a list for a text', { ...report, summary: { ...report.summary, commits: ['a'] } }, ['commits of report.summary must be a text.']],
    ['a part missing', { status: 'success', nextStep: 'review', summary: report.summary }, ['report has no key feedback.']],
  ])('names its address when its report has %s', (_name, body, problems) => expect(readReportMessage({ ...address, report: body })).toEqual({ ok: false, problems, address }));
  it('leaves empty sections to the rules of the node', () => expect(readReportMessage({ ...address, report: { ...report, nextStep: '' } }).ok).toBe(true));
  it('takes no key from a prototype', () => {
    expect(readReportMessage(Object.create({ ...address, report }) as unknown).ok).toBe(false);
    expect(readReportMessage(JSON.parse('{"__proto__": {"runId": "x"}, "node": "a", "reportId": "b", "report": {}}')).ok).toBe(false);
  });
});

describe('the message of a session', () => {
  it('is read', () => expect(readRegisterMessage({ runId: 'a', node: 'b', sessionId: 'c' })).toEqual({ ok: true, message: { runId: 'a', node: 'b', sessionId: 'c' } }));
  it.each([
    [{ runId: 'a', node: 'b' }, ['The message has no key sessionId.']],
    [{ runId: 'a', node: 'b', sessionID: 'c' }, ['The message has no key sessionId.', 'The message has the unknown key "sessionID"; it must be written sessionId.']],
    [{ runId: 'a', node: '', sessionId: 'c' }, ['node of the message must not be empty.']],
    ['x', ['The message must be an object with the keys runId, node, sessionId.']],
  ])('%j is refused', (json, problems) => expect(readRegisterMessage(json)).toEqual({ ok: false, problems }));
});
