import { describe, expect, it } from 'vitest';
import extension from '../../src/pi/extension.js';
import { relayExtension, type PiApi, type PiContext } from '../../src/pi/relay-extension.js';
import { ACCEPTED, delivered, fakeHost, HITL, INVALID, settle, UNREACHABLE, type FakeHost } from '../fakes.js';
import { reportText } from '../report/texts.js';

type Event = Parameters<PiApi['on']>[0];

/** Pi as far as the extension sees it. */
class FakePi {
  readonly handlers = new Map<Event, (event: unknown, ctx: PiContext) => void>();
  readonly sent: { readonly text: string; readonly deliverAs?: string }[] = [];
  readonly names: string[] = [];
  readonly notes: string[] = [];
  readonly asked: { readonly title: string; readonly choices: readonly string[]; readonly signal: AbortSignal | undefined; readonly answer: (answer: string | undefined) => void }[] = [];
  readonly entries: unknown[] = [{ type: 'model_change', id: 'e0' }];
  sessionId = 'abc';
  idle = true;
  hasUI = true;
  stale = false;

  readonly api: PiApi = {
    on: (event, handler) => this.handlers.set(event, handler),
    setSessionName: (name) => this.names.push(name),
    getSessionName: () => this.names.at(-1),
    sendUserMessage: (text, options) => {
      // What an extension of a replaced session is told.
      if (this.stale) throw new Error('This extension ctx is stale.');
      this.sent.push({ text, ...options });
    },
  };

  context(): PiContext {
    return {
      hasUI: this.hasUI,
      ui: {
        select: (title, choices, how) => new Promise((answer) => {
          how?.signal.addEventListener('abort', () => answer(undefined));
          this.asked.push({ title, choices, signal: how?.signal, answer });
        }),
        notify: (message) => this.notes.push(message),
      },
      sessionManager: { getSessionId: () => this.sessionId, getBranch: () => this.entries },
      isIdle: () => this.idle,
    };
  }

  says(id: string, text: string, message: Record<string, unknown> = {}): void {
    this.entries.push({ type: 'message', id, message: { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }, { type: 'text', text }], stopReason: 'stop', ...message } });
  }

  /** Returns what the handler returned: Pi waits for promises. */
  async fire(event: Event, payload: unknown = {}): Promise<unknown> {
    const result: unknown = this.handlers.get(event)?.(payload, this.context());
    await settle();
    return result;
  }
}

function start(variables: Readonly<Record<string, string>> = {}, answer: Parameters<typeof fakeHost>[1] = ACCEPTED): { readonly pi: FakePi; readonly host: FakeHost } {
  const pi = new FakePi();
  const host = fakeHost(variables, answer);
  relayExtension(pi.api, host);
  return { pi, host };
}

describe('in Pi', () => {
  it('subscribes to nothing outside of relay-flow', () => {
    const pi = new FakePi();
    extension(pi.api);
    expect(pi.handlers.size).toBe(0);
  });
  it.each(['startup', 'reload', 'new', 'resume', 'fork'])('names and registers a session at %s, and looks at nothing (pitfall 14)', async (reason) => {
    const { pi, host } = start();
    pi.says('old', reportText());
    await pi.fire('session_start', { reason });
    expect(pi.names).toEqual(['SHOP-1:build']);
    expect(host.command.calls.map(({ verb, bytes }) => [verb, bytes])).toEqual([['runtime-register', '{"runId":"shop/fix/SHOP-1","node":"build","sessionId":"abc"}']]);
  });
  // A start that stops at a question about trust is told by the missing registration, so this must not wait for a turn.
  it('registers before there is any turn (pitfall 54)', async () => {
    const { pi, host } = start();
    await pi.fire('session_start');
    expect(host.command.of('runtime-register')).toHaveLength(1);
  });
  it('delivers a report once (pitfall 12)', async () => {
    const { pi, host } = start();
    pi.says('e1', reportText());
    pi.entries.push({ type: 'custom', id: 'e2' });
    await Promise.all([pi.fire('agent_settled'), pi.fire('agent_settled')]);
    expect(delivered(host)).toEqual(['abc:e1']);
    expect(pi.sent).toEqual([]);
  });
  it('lets its handlers return before anything is delivered or answered (pitfall 17)', async () => {
    for (const variables of [{}, HITL]) {
      const { pi, host } = start(variables, 'by hand');
      pi.says('e1', reportText());
      for (const event of ['session_start', 'agent_settled', 'agent_start', 'session_shutdown'] as const) expect(await pi.fire(event)).toBeUndefined();
      expect(host.command.calls.length + pi.asked.length).toBe(2);
    }
  });
  it('starts no turn of the model while it tries to deliver', async () => {
    const { pi, host } = start({}, UNREACHABLE);
    pi.says('e1', reportText());
    await pi.fire('agent_settled');
    for (let round = 0; round < 10; round += 1) await host.clock.pass(300_000);
    expect(host.command.of('report')).toHaveLength(11);
    expect(pi.sent).toEqual([]);
  });
  // Text that begins with a slash, or names a template, is expanded. Corrections begin with a word and are sent as they are.
  it('corrects once for each message, after what runs already (pitfall 23), and notes it', async () => {
    const { pi, host } = start();
    pi.says('e1', 'Done.');
    await pi.fire('agent_settled');
    await pi.fire('agent_settled');
    pi.idle = false;
    pi.says('e2', 'Done!');
    await pi.fire('agent_settled');
    expect(pi.sent).toEqual([{ text: expect.stringMatching(/^Your last answer could not be taken/) as string }, { text: expect.stringMatching(/^Your last answer/) as string, deliverAs: 'followUp' }]);
    expect(host.noted).toEqual(['corrected', 'corrected']);
  });
  it.each([
    ['was stopped', { stopReason: 'aborted' }],
    ['failed', { stopReason: 'error' }],
    ['is a person\'s', { role: 'user', content: reportText() }],
  ])('does nothing with a message that %s', async (_what, message) => {
    const { pi, host } = start();
    pi.says('e1', reportText(), message);
    await pi.fire('agent_settled');
    expect([delivered(host), pi.sent, pi.asked]).toEqual([[], [], []]);
  });
  it('asks the person in a dialog of Pi, and sends what was approved (pitfall 22)', async () => {
    const { pi, host } = start(HITL);
    pi.says('e1', reportText());
    await pi.fire('agent_settled');
    expect(pi.asked).toMatchObject([{ title: 'Approve relay-flow report for SHOP-1:build', choices: ['Approve', 'Reject'] }]);
    expect(delivered(host)).toEqual([]);
    pi.asked[0]!.answer('Approve');
    await settle();
    expect(delivered(host)).toEqual(['abc:e1']);
  });
  it.each(['Reject', undefined])('sends nothing after the answer %s', async (answer) => {
    const { pi, host } = start(HITL);
    pi.says('e1', reportText());
    await pi.fire('agent_settled');
    pi.asked[0]!.answer(answer);
    await settle();
    await pi.fire('agent_settled');
    expect([delivered(host), pi.asked.length, pi.sent]).toEqual([[], 1, []]);
  });
  it('does not ask where nobody can answer', async () => {
    const { pi, host } = start(HITL);
    pi.hasUI = false;
    pi.says('e1', reportText());
    await pi.fire('agent_settled');
    expect([delivered(host), pi.asked]).toEqual([[], []]);
  });
  it.each([
    ['another turn begins', async (pi: FakePi) => pi.fire('agent_start')],
    ['another session begins', async (pi: FakePi) => pi.fire('session_start')],
  ])('closes the dialog when %s', async (_what, event) => {
    const { pi, host } = start(HITL);
    pi.says('e1', reportText());
    await pi.fire('agent_settled');
    await event(pi);
    expect(pi.asked[0]!.signal?.aborted).toBe(true);
    expect(delivered(host)).toEqual([]);
  });
  it('takes no approval for a report that a newer message has replaced (pitfall 16)', async () => {
    const { pi, host } = start(HITL);
    pi.says('e1', reportText());
    await pi.fire('agent_settled');
    pi.says('e2', 'One more thing.');
    pi.asked[0]!.answer('Approve');
    await settle();
    expect(delivered(host)).toEqual([]);
    expect(pi.notes).toEqual(['A newer message has replaced this report, so it was not sent.']);
  });
  it('hands back what the server refuses; the next report needs a new approval, also after a rejection of its own', async () => {
    const { pi, host } = start({ ...HITL, RELAY_FLOW_AUTO_REJECT: 'true' }, INVALID);
    pi.says('e1', reportText({ STATUS: 'failure', 'NEXT STEP': 'fix' }));
    await pi.fire('agent_settled');
    expect(delivered(host)).toEqual(['abc:e1']);
    expect(pi.sent).toMatchObject([{ text: expect.stringContaining('it must be exactly one of: end, review.') as string }]);
    pi.says('e2', reportText());
    await pi.fire('agent_settled');
    expect([delivered(host), pi.asked.length]).toEqual([['abc:e1'], 1]);
  });
  it('throws nothing when Pi has replaced the session meanwhile', async () => {
    const { pi, host } = start({}, 'by hand');
    pi.says('e1', reportText());
    await pi.fire('agent_settled');
    pi.stale = true;
    await host.command.answer(INVALID);
    pi.entries.push(null, 3, { type: 'message' });
    await pi.fire('agent_settled');
    expect(host.logged.at(-1)).toBe('{"event":"failed","error":"Error"}');
  });
});
