import { deliverInBackground, type HostParts } from '../delivery/host-relay.js';
import { kindOf } from '../delivery/log.js';
import { titleOf } from '../environment.js';
import { recordOf, textOf } from '../json.js';
import { formatReport, type Report } from '../report/index.js';
import { decideTurn, HandledTurns, OpenApproval, type FinishedTurn } from '../turn.js';
import { sessionOf, speakerOf, turnOf, type Speaker } from './message.js';

/** What the plugin uses of the terminal's plugin API (V1). */
export interface TuiApi {
  readonly route: { readonly current: unknown };
  readonly state: {
    readonly session: {
      readonly messages: (sessionID: string) => readonly unknown[];
      readonly status: (sessionID: string) => unknown;
    };
    readonly part: (messageID: string) => readonly unknown[];
  };
  readonly event: { readonly on: (type: 'session.idle', handler: (event: unknown) => void) => () => void };
  readonly ui: {
    readonly DialogSelect: (props: SelectProps) => unknown;
    readonly dialog: {
      readonly replace: (render: () => unknown, onClose?: () => void) => void;
      readonly clear: () => void;
      readonly setSize: (size: 'medium' | 'large' | 'xlarge') => void;
    };
    readonly toast: (toast: { variant: 'info' | 'success' | 'warning' | 'error'; message: string }) => void;
  };
  /** The client of the terminal takes its arguments flat, unlike that of the server. */
  readonly client: { readonly session: { readonly promptAsync: (request: { sessionID: string; parts: readonly { type: 'text'; text: string }[] } & Speaker) => Promise<unknown> } };
  readonly lifecycle: { readonly onDispose: (dispose: () => void) => unknown };
}

export interface SelectProps {
  readonly title: string;
  readonly placeholder?: string;
  readonly options: readonly SelectOption[];
  readonly onSelect: (option: SelectOption) => void;
  readonly skipFilter?: boolean;
}

export interface SelectOption {
  readonly title: string;
  readonly value: string;
  readonly description?: string;
  readonly category?: string;
}

/** A row of the dialog cuts off what does not fit. */
const ROW_WIDTH = 96;

/**
 * The plugin in OpenCode's terminal: asks the person of a node whether its report may go out. It acts only when a session becomes idle that is on
 * screen, and only upon its newest message. Approving is only possible here: a question of the model's own could be answered by the model.
 */
export function tuiPlugin(api: TuiApi, parts: HostParts): void {
  const { node, log } = parts;
  const turns = new HandledTurns();
  const approval = new OpenApproval();

  const idle = (sessionId: string): void => {
    if (sessionOnScreen(api) !== sessionId || !isIdle(api.state.session.status(sessionId))) return;
    const info = api.state.session.messages(sessionId).at(-1);
    const turn = turnOf(sessionId, info, api.state.part(textOf(recordOf(info)['id']) ?? ''));
    // Marked before anything is drawn: drawing may lead to the next event.
    if (turn === undefined || !turns.take(turn)) return;
    const decision = decideTurn(node, turn);
    log('turn', { messageId: turn.messageId, decision: decision.do });
    if (decision.do === 'ask') ask(turn, decision.report, speakerOf(info));
  };

  const ask = (turn: FinishedTurn, report: Report, speaker: Speaker): void => {
    const send = (text: string): unknown => api.client.session.promptAsync({ sessionID: turn.sessionId, ...speaker, parts: [{ type: 'text', text }] });
    const answered = guarded((approved: boolean): void => {
      // It is closed by an answer too, and by the dialog of a newer report: then nothing is open any more.
      if (!approval.close(turn)) return;
      if (!approved) {
        log('not approved', { messageId: turn.messageId });
        return;
      }
      if (newestMessage(api, turn.sessionId) !== turn.messageId) {
        api.ui.toast({ variant: 'warning', message: 'A newer message has replaced this report, so it was not sent.' });
        return;
      }
      log('approved', { messageId: turn.messageId });
      deliverInBackground(parts, turn, report, send);
      api.ui.toast({ variant: 'success', message: `The report of ${titleOf(node)} was approved.` });
    });
    approval.open(turn);
    api.ui.dialog.replace(
      () => api.ui.DialogSelect({
        title: `Approve relay-flow report for ${titleOf(node)}`,
        placeholder: 'Approve or reject',
        options: optionsFor(report),
        onSelect: guarded((option: SelectOption) => {
          if (option.value === 'line') return;
          answered(option.value === 'approve');
          api.ui.dialog.clear();
        }),
      }),
      () => answered(false),
    );
    // Replacing a dialog makes it medium again.
    api.ui.dialog.setSize('xlarge');
  };

  /** What a handler throws would take the terminal down. */
  function guarded<Argument>(handler: (argument: Argument) => void): (argument: Argument) => void {
    return (argument) => {
      try {
        handler(argument);
      } catch (error) {
        log('failed', { error: kindOf(error) });
      }
    };
  }

  const stop = api.event.on('session.idle', guarded((event: unknown) => {
    const sessionId = sessionOf(event);
    if (sessionId !== undefined) idle(sessionId);
  }));
  api.lifecycle.onDispose(() => {
    approval.invalidate();
    stop();
  });
}

function sessionOnScreen(api: TuiApi): string | undefined {
  const { name, params } = recordOf(api.route.current);
  return name === 'session' ? textOf(recordOf(params)['sessionID']) : undefined;
}

/** A session that nothing is known of is idle. */
function isIdle(status: unknown): boolean {
  return status === undefined || status === null || recordOf(status)['type'] === 'idle';
}

function newestMessage(api: TuiApi, sessionId: string): string | undefined {
  return textOf(recordOf(api.state.session.messages(sessionId).at(-1))['id']);
}

/** The two answers, then the whole report, a row a line: there is no other place in this dialog for a text of any length. */
function optionsFor(report: Report): readonly SelectOption[] {
  const rows = formatReport(report).trimEnd().split('\n').flatMap(wrapped);
  return [
    { title: 'Approve', value: 'approve', description: 'send this report as it is', category: 'Answer' },
    { title: 'Reject', value: 'reject', description: 'send nothing and go on talking', category: 'Answer' },
    ...rows.map((title) => ({ title, value: 'line', category: 'Report' })),
  ];
}

/** A line in rows that fit; longer words are cut. */
function wrapped(line: string): readonly string[] {
  const rows: string[] = [];
  let rest = line;
  while (rest.length > ROW_WIDTH) {
    const space = rest.lastIndexOf(' ', ROW_WIDTH);
    const at = space > ROW_WIDTH / 2 ? space : ROW_WIDTH;
    rows.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...rows, rest === '' ? ' ' : rest];
}
