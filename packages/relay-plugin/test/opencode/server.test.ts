import { describe, expect, it } from 'vitest';
import plugin from '../../src/opencode/server.js';
import * as entry from '../../src/opencode/server.js';
import { serverPlugin, type ServerClient } from '../../src/opencode/server-plugin.js';
import { ACCEPTED, delivered, fakeHost, HITL, INVALID, settle, UNREACHABLE, type FakeHost } from '../fakes.js';
import { reportText } from '../report/texts.js';

interface Said {
  readonly info: Record<string, unknown>;
  parts: readonly Record<string, unknown>[];
}

/** OpenCode's server as far as the plugin sees it; `calls` lists what it was asked for. */
class FakeOpenCode {
  readonly calls: string[] = [];
  readonly titles: string[] = [];
  readonly prompts: { readonly agent?: string; readonly model?: unknown; readonly text: string }[] = [];
  messages: Said[] = [];
  parent: string | undefined;
  broken = false;

  readonly client: ServerClient = {
    session: {
      get: async ({ path }) => this.answer('get', { id: path.id, ...(this.parent === undefined ? {} : { parentID: this.parent }) }),
      messages: async () => this.answer('messages', this.messages),
      update: async ({ body }) => {
        this.titles.push(body.title);
        return this.answer('update', {});
      },
      promptAsync: async ({ body: { parts, ...rest } }) => {
        this.prompts.push({ ...rest, text: parts.map(({ text }) => text).join('') });
        return this.answer('promptAsync', undefined);
      },
    },
  };

  answer(call: string, data: unknown): { data: unknown } {
    this.calls.push(call);
    if (this.broken) throw new Error('The connection was lost.');
    return { data };
  }

  says(id: string, text: string, info: Record<string, unknown> = {}): void {
    this.messages.push({ info: { id, role: 'assistant', time: { created: 1, completed: 2 }, agent: 'builder', providerID: 'stub', modelID: 'm', ...info }, parts: [{ type: 'step-start' }, { type: 'text', text }] });
  }
}

interface Running {
  readonly opencode: FakeOpenCode;
  readonly host: FakeHost;
  readonly fire: (type: string, properties: unknown) => Promise<void>;
  readonly idle: (sessionID?: string) => Promise<void>;
}

function start(variables: Readonly<Record<string, string>> = {}, answer: Parameters<typeof fakeHost>[1] = ACCEPTED): Running {
  const opencode = new FakeOpenCode();
  const host = fakeHost(variables, answer);
  const hooks = serverPlugin(opencode.client, host);
  expect(Object.keys(hooks)).toEqual(['event']);
  const fire = async (type: string, properties: unknown): Promise<void> => {
    await hooks.event?.({ event: { type, properties } });
    await settle();
  };
  return { opencode, host, fire, idle: (sessionID = 'ses') => fire('session.idle', { sessionID }) };
}

describe('in OpenCode', () => {
  it('is a module with a default export and nothing else, which hooks nothing outside of relay-flow', async () => {
    expect(Object.keys(entry)).toEqual(['default']);
    expect(plugin.id).toBe('relay-flow');
    expect(await plugin.server({ client: new FakeOpenCode().client })).toEqual({});
  });
  it('names and registers the session of the node, not those of its subtasks', async () => {
    const { opencode, host, fire } = start();
    await fire('session.created', { info: { id: 'ses', title: 'New session' } });
    await fire('session.created', { info: { id: 'child', parentID: 'ses', title: 'Look' } });
    await fire('session.updated', { info: { id: 'ses', title: 'SHOP-1:build' } });
    expect(opencode.titles).toEqual(['SHOP-1:build']);
    expect(host.command.calls.map(({ verb, bytes }) => [verb, bytes])).toEqual([['runtime-register', '{"runId":"shop/fix/SHOP-1","node":"build","sessionId":"ses"}']]);
  });
  it('looks at a resumed session only when it becomes idle (pitfalls 13, 14)', async () => {
    const { opencode, host, fire, idle } = start();
    opencode.says('old', reportText());
    // Other events come in floods.
    await fire('session.created', { info: { id: 'ses' } });
    for (const type of ['session.updated', 'message.updated', 'message.part.updated', 'session.status', 'session.error', 'permission.updated']) await fire(type, { sessionID: 'ses', info: { id: 'ses' } });
    expect(opencode.calls).not.toContain('messages');
    expect(delivered(host)).toEqual([]);
    await idle();
    expect(delivered(host)).toEqual(['ses:old']);
  });
  it('delivers a report once (pitfall 12)', async () => {
    const { opencode, host, idle } = start();
    opencode.says('m1', reportText());
    await Promise.all([idle(), idle(), idle()]);
    await idle();
    expect(delivered(host)).toEqual(['ses:m1']);
    expect(opencode.prompts).toEqual([]);
  });
  it('learns from the session whether it belongs to a subtask', async () => {
    const { opencode, host, idle } = start();
    opencode.parent = 'ses';
    opencode.says('m1', reportText());
    await idle('child');
    expect(delivered(host)).toEqual([]);
    expect(host.command.calls).toEqual([]);
  });
  it('corrects by the same agent and model, once for each message, and notes it', async () => {
    const { opencode, host, idle } = start();
    opencode.says('m1', 'I am done.');
    await idle();
    await idle();
    expect(opencode.prompts).toMatchObject([{ agent: 'builder', model: { providerID: 'stub', modelID: 'm' }, text: expect.stringContaining('could not be taken as the report of this node') as string }]);
    opencode.says('m2', 'I am done!');
    await idle();
    expect(opencode.prompts).toHaveLength(2);
    expect(host.noted).toEqual(['corrected', 'corrected']);
  });
  it.each([
    ['failed', { error: { name: 'MessageAbortedError' } }],
    ['is not finished', { time: { created: 1 } }],
    ['is a person\'s', { role: 'user' }],
  ])('does nothing with a message that %s', async (_what, info) => {
    const { opencode, host, idle } = start();
    opencode.says('m1', reportText(), info);
    await idle();
    expect([delivered(host), opencode.prompts]).toEqual([[], []]);
  });
  it('reads what the agent wrote, and nothing that was put in', async () => {
    const { opencode, host, idle } = start();
    opencode.says('m1', reportText());
    opencode.messages.at(-1)!.parts = [{ type: 'text', text: 'put in', synthetic: true }, { type: 'reasoning', text: 'hm' }, ...opencode.messages.at(-1)!.parts, { type: 'text', text: 'left out', ignored: true }];
    await idle();
    expect(delivered(host)).toEqual(['ses:m1']);
  });
  it('hands back what the server refuses, and delivers what comes then', async () => {
    const { opencode, host, idle } = start({}, INVALID);
    opencode.says('m1', reportText());
    await idle();
    expect(opencode.prompts.map(({ text }) => text)).toEqual([expect.stringContaining('With STATUS success it must be exactly one of: end, review.')]);
    host.command.auto = ACCEPTED;
    opencode.says('m2', reportText());
    await idle();
    expect(delivered(host)).toEqual(['ses:m1', 'ses:m2']);
  });
  it('starts no turn of the model while it tries to deliver', async () => {
    const { opencode, host, idle } = start({}, UNREACHABLE);
    opencode.says('m1', reportText());
    await idle();
    for (let minutes = 0; minutes < 20; minutes += 1) await host.clock.pass(300_000);
    expect(host.command.of('report').length).toBeGreaterThan(10);
    expect(opencode.prompts).toEqual([]);
  });
  it('leaves the reports of a node with a person to the dialog', async () => {
    const { opencode, host, idle } = start(HITL);
    opencode.says('m1', reportText());
    await idle();
    opencode.says('m2', 'Shall I?');
    await idle();
    expect([delivered(host), opencode.prompts]).toEqual([[], []]);
    opencode.says('m3', 'STATUS: success\nNEXT STEP: review');
    await idle();
    expect(opencode.prompts).toHaveLength(1);
  });
  it('rejects without a person when told so, and leaves what the server refuses to a new report', async () => {
    const { opencode, host, idle } = start({ ...HITL, RELAY_FLOW_AUTO_REJECT: 'true' }, INVALID);
    opencode.says('m1', reportText({ STATUS: 'failure', 'NEXT STEP': 'fix' }));
    await idle();
    expect(delivered(host)).toEqual(['ses:m1']);
    expect(opencode.prompts).toHaveLength(1);
    opencode.says('m2', reportText());
    await idle();
    expect(delivered(host)).toEqual(['ses:m1']);
  });
  it('throws nothing, whatever it is given', async () => {
    const { opencode, host, fire, idle } = start();
    opencode.broken = true;
    await idle();
    for (const type of ['session.created', 'session.updated', 'session.idle', undefined]) for (const properties of [undefined, null, 3, {}, { info: null }, { info: { id: 4 } }]) await fire(String(type), properties);
    expect(host.logged).toEqual(['{"event":"failed","error":"Error"}']);
    opencode.broken = false;
    opencode.messages = [null, 3, {}] as never;
    await idle();
    expect(delivered(host)).toEqual([]);
  });
});
