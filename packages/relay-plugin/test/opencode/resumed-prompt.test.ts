import { describe, expect, it } from 'vitest';
import { sendResumedPrompt, takeResumedPrompt } from '../../src/opencode/resumed-prompt.js';
import { FakeClock, settle } from '../fakes.js';

describe('the prompt of a session that goes on', () => {
  it('is taken once, with who is told and by which model', () => {
    const env: Record<string, string | undefined> = { RELAY_FLOW_RESUME_JSON: '{"sessionId":"ses_1","text":"Go on.","agent":"coder","provider":"router","model":"maker/model"}' };
    expect(takeResumedPrompt(env)).toEqual({ sessionId: 'ses_1', text: 'Go on.', speaker: { agent: 'coder', model: { providerID: 'router', modelID: 'maker/model' } } });
    expect(env).toEqual({});
    expect(takeResumedPrompt(env)).toBeUndefined();
  });

  it.each(['', '{', '[]', '{"text":"Go on."}', '{"sessionId":"ses_1"}'])('is none in %j', (json) => {
    expect(takeResumedPrompt({ RELAY_FLOW_RESUME_JSON: json })).toBeUndefined();
  });

  it('is sent until it is taken, whichever way the host says that it was not', async () => {
    const clock = new FakeClock();
    const answers = [() => Promise.reject(new Error('Not yet.')), () => Promise.resolve({ error: { name: 'NotFound' } }), () => Promise.resolve({ data: undefined })];
    let calls = 0;
    const sent = sendResumedPrompt(async () => await answers[calls++]?.(), { clock, log: () => undefined });
    await settle();
    await clock.pass(2_000);
    await clock.pass(4_000);
    await sent;
    expect([calls, clock.waits]).toEqual([3, [2_000, 4_000]]);
  });

  it('is given up when it is refused for ever', async () => {
    const clock = new FakeClock();
    let calls = 0;
    const sent = sendResumedPrompt(async () => ({ error: calls++ }), { clock, log: () => undefined });
    for (let round = 0; round < 10; round += 1) {
      await settle();
      await clock.pass(300_000);
    }
    await sent;
    expect(calls).toBe(8);
  });
});
