import { describe, expect, it } from 'vitest';
import plugin from '../../src/opencode/tui.js';
import * as entry from '../../src/opencode/tui.js';
import { tuiPlugin, type SelectProps, type TuiApi } from '../../src/opencode/tui-plugin.js';
import { ACCEPTED, delivered, fakeHost, HITL, INVALID, settle, type FakeHost } from '../fakes.js';
import { reportText, VALUES } from '../report/texts.js';

/** OpenCode's terminal as far as the plugin sees it. Like the real one it closes a dialog by replacing it, and makes every new one medium. */
class FakeTerminal {
  screen: unknown = { name: 'session', params: { sessionID: 'ses' } };
  status: unknown = { type: 'idle' };
  readonly messages: Record<string, unknown>[] = [];
  readonly parts = new Map<string, readonly unknown[]>();
  readonly toasts: string[] = [];
  readonly prompts: unknown[] = [];
  readonly drawn: string[] = [];
  dialog: SelectProps | undefined;
  size = 'medium';
  disposed: (() => void)[] = [];
  #onClose: (() => void) | undefined;
  readonly #handlers: ((event: unknown) => void)[] = [];

  readonly api: TuiApi = {
    route: { current: undefined },
    state: { session: { messages: () => this.messages, status: () => this.status }, part: (id) => this.parts.get(id) ?? [] },
    event: {
      on: (type, handler) => {
        expect(type).toBe('session.idle');
        this.#handlers.push(handler);
        return () => this.#handlers.splice(this.#handlers.indexOf(handler), 1);
      },
    },
    ui: {
      DialogSelect: (props) => {
        this.dialog = props;
        return props;
      },
      dialog: {
        replace: (render, onClose) => {
          this.close();
          this.#onClose = onClose;
          this.size = 'medium';
          render();
          this.drawn.push(this.dialog?.title ?? '');
        },
        clear: () => this.close(),
        setSize: (size) => {
          this.size = size;
        },
      },
      toast: ({ message }) => this.toasts.push(message),
    },
    client: { session: { promptAsync: async (request) => this.prompts.push(request) } },
    lifecycle: { onDispose: (dispose) => this.disposed.push(dispose) },
  };

  constructor() {
    Object.defineProperty(this.api.route, 'current', { get: () => this.screen });
  }

  close(): void {
    const onClose = this.#onClose;
    this.#onClose = undefined;
    this.dialog = undefined;
    onClose?.();
  }

  says(id: string, text: string, info: Record<string, unknown> = {}): void {
    this.messages.push({ id, role: 'assistant', time: { completed: 2 }, agent: 'builder', ...info });
    this.parts.set(id, [{ type: 'text', text }]);
  }

  async idle(event: unknown = { properties: { sessionID: 'ses' } }): Promise<void> {
    for (const handler of this.#handlers) handler(event);
    await settle();
  }

  async choose(value: string): Promise<void> {
    const option = this.dialog?.options.find((one) => one.value === value);
    if (option === undefined) throw new Error(`There is no ${value} to choose.`);
    this.dialog?.onSelect(option);
    await settle();
  }
}

function start(answer: Parameters<typeof fakeHost>[1] = ACCEPTED, variables: Readonly<Record<string, string>> = HITL): { readonly terminal: FakeTerminal; readonly host: FakeHost } {
  const terminal = new FakeTerminal();
  const host = fakeHost(variables, answer);
  tuiPlugin(terminal.api, host);
  return { terminal, host };
}

describe('in OpenCode\'s terminal', () => {
  it('is a module with a default export and nothing else, which does nothing outside of relay-flow', async () => {
    expect(Object.keys(entry)).toEqual(['default']);
    expect(plugin.id).toBe('relay-flow');
    await plugin.tui({} as TuiApi);
  });
  // The model answered its own question. Nothing but the choice of a person in this dialog sends the report.
  it('asks the person, with the whole report, and sends it when approved (pitfalls 15, 22)', async () => {
    const { terminal, host } = start();
    terminal.says('m1', reportText());
    await terminal.idle();
    expect(terminal.dialog?.title).toBe('Approve relay-flow report for SHOP-1:build');
    const rows = terminal.dialog!.options.map(({ title }) => title);
    expect(rows.slice(0, 2)).toEqual(['Approve', 'Reject']);
    for (const [label, value] of Object.entries(VALUES)) expect(rows).toContain(`${label}: ${value}`.trimEnd());
    // Set before the dialog is there, the size is lost.
    expect(terminal.size).toBe('xlarge');
    expect(delivered(host)).toEqual([]);
    await terminal.choose('approve');
    expect(delivered(host)).toEqual(['ses:m1']);
    expect(terminal.dialog).toBeUndefined();
  });
  it('wraps what does not fit', async () => {
    const { terminal } = start();
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    terminal.says('m1', reportText({ NOTES: words, COMPLETED: 'x'.repeat(300) }));
    await terminal.idle();
    const rows = terminal.dialog!.options.map(({ title }) => title);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(96);
    expect(rows.join(' ')).toContain(words);
    expect(rows.join('')).toContain('x'.repeat(300));
  });
  it.each([
    ['rejected', (terminal: FakeTerminal) => terminal.choose('reject')],
    ['dismissed', async (terminal: FakeTerminal) => terminal.close()],
  ])('sends nothing when %s, and asks again for the next report', async (_how, answer) => {
    const { terminal, host } = start();
    terminal.says('m1', reportText());
    await terminal.idle();
    await answer(terminal);
    expect([delivered(host), terminal.dialog, terminal.prompts]).toEqual([[], undefined, []]);
    await terminal.idle();
    expect(terminal.dialog).toBeUndefined();
    terminal.says('m2', reportText());
    await terminal.idle();
    await terminal.choose('approve');
    expect(delivered(host)).toEqual(['ses:m2']);
  });
  it('stays open when a line of the report is chosen', async () => {
    const { terminal, host } = start();
    terminal.says('m1', reportText());
    await terminal.idle();
    await terminal.choose('line');
    expect(terminal.dialog).toBeDefined();
    await terminal.choose('approve');
    expect(delivered(host)).toEqual(['ses:m1']);
  });
  it('asks once about a message (pitfall 12)', async () => {
    const { terminal } = start();
    terminal.says('m1', reportText());
    await Promise.all([terminal.idle(), terminal.idle()]);
    await terminal.idle();
    expect(terminal.drawn).toHaveLength(1);
  });
  it('takes no approval for a report that a newer message has replaced (pitfall 16)', async () => {
    const { terminal, host } = start();
    terminal.says('m1', reportText());
    await terminal.idle();
    terminal.messages.push({ id: 'u2', role: 'user' });
    await terminal.choose('approve');
    expect(delivered(host)).toEqual([]);
    expect(terminal.toasts).toEqual(['A newer message has replaced this report, so it was not sent.']);
  });
  it('puts the newer report in the place of the older, whose dialog can approve nothing any more', async () => {
    const { terminal, host } = start();
    terminal.says('m1', reportText());
    await terminal.idle();
    const old = terminal.dialog!;
    terminal.says('m2', reportText());
    await terminal.idle();
    old.onSelect(old.options[0]!);
    await settle();
    expect(delivered(host)).toEqual([]);
  });
  it.each([
    ['another session is on screen', (terminal: FakeTerminal) => { terminal.screen = { name: 'session', params: { sessionID: 'other' } }; }],
    ['no session is on screen', (terminal: FakeTerminal) => { terminal.screen = { name: 'home' }; }],
    ['the session works on', (terminal: FakeTerminal) => { terminal.status = { type: 'busy' }; }],
    ['the turn failed', (terminal: FakeTerminal) => { terminal.messages.at(-1)!['error'] = {}; }],
    ['it is gone', (terminal: FakeTerminal) => { terminal.disposed.forEach((dispose) => dispose()); }],
  ])('does not ask when %s', async (_what, change) => {
    const { terminal } = start();
    terminal.says('m1', reportText());
    change(terminal);
    await terminal.idle();
    expect(terminal.drawn).toEqual([]);
  });
  it('asks when nothing is known of the session\'s state', async () => {
    const { terminal } = start();
    terminal.status = undefined;
    terminal.says('m1', reportText());
    await terminal.idle({ data: { sessionID: 'ses' } });
    expect(terminal.drawn).toHaveLength(1);
  });
  it('asks for nothing but whole reports that need it', async () => {
    const { terminal, host } = start(ACCEPTED, { ...HITL, RELAY_FLOW_AUTO_REJECT: 'true' });
    for (const text of ['Shall I?', 'STATUS: success\nNEXT STEP: review', reportText({ STATUS: 'failure', 'NEXT STEP': 'fix' })]) {
      terminal.says(text.slice(0, 9), text);
      await terminal.idle();
    }
    // Corrections and rejections are up to the plugin in the server.
    expect([terminal.drawn, delivered(host), terminal.prompts]).toEqual([[], [], []]);
  });
  it('does not ask at the start (pitfall 14)', async () => {
    const terminal = new FakeTerminal();
    terminal.says('m1', reportText());
    tuiPlugin(terminal.api, fakeHost(HITL));
    await settle();
    expect(terminal.drawn).toEqual([]);
  });
  it('hands back what the server refuses; the next report needs a new approval', async () => {
    const { terminal, host } = start(INVALID);
    terminal.says('m1', reportText());
    await terminal.idle();
    await terminal.choose('approve');
    expect(terminal.prompts).toEqual([{ sessionID: 'ses', agent: 'builder', parts: [{ type: 'text', text: expect.stringContaining('it must be exactly one of: end, review.') as string }] }]);
    host.command.auto = ACCEPTED;
    terminal.says('m2', reportText());
    await terminal.idle();
    expect(delivered(host)).toEqual(['ses:m1']);
    await terminal.choose('approve');
    expect(delivered(host)).toEqual(['ses:m1', 'ses:m2']);
  });
  it('throws nothing, whatever it is given', async () => {
    const { terminal, host } = start();
    for (const event of [undefined, null, 3, {}, { properties: null }, { properties: { sessionID: 1 } }]) await terminal.idle(event);
    terminal.messages.push(null as never);
    await terminal.idle();
    Object.assign(terminal.api.ui.dialog, { replace: () => { throw new TypeError('no screen'); } });
    terminal.says('m1', reportText());
    await terminal.idle();
    expect(host.logged.filter((line) => line.includes('failed'))).toEqual(['{"event":"failed","error":"TypeError"}']);
  });
});
