import { correctInBackground, deliverInBackground, inBackground, type HostParts } from '../delivery/host-relay.js';
import { kindOf } from '../delivery/log.js';
import { titleOf } from '../environment.js';
import { listOf, recordOf, textOf } from '../json.js';
import type { Report } from '../report/index.js';
import { decideTurn, HandledTurns, OpenApproval, type FinishedTurn } from '../turn.js';

/** What the extension uses of Pi's extension API. */
export interface PiApi {
  readonly on: (event: 'session_start' | 'agent_start' | 'agent_settled' | 'session_shutdown', handler: (event: unknown, ctx: PiContext) => void) => unknown;
  readonly setSessionName: (name: string) => void;
  readonly getSessionName: () => string | undefined;
  readonly sendUserMessage: (text: string, options?: { deliverAs: 'followUp' }) => unknown;
}

export interface PiContext {
  readonly hasUI: boolean;
  readonly ui: {
    readonly select: (title: string, options: string[], how?: { signal: AbortSignal }) => Promise<string | undefined>;
    readonly notify: (message: string, type?: 'info' | 'warning' | 'error') => void;
  };
  readonly sessionManager: {
    readonly getSessionId: () => string;
    /** From the first entry of the session to the newest. */
    readonly getBranch: () => readonly unknown[];
  };
  readonly isIdle: () => boolean;
}

const APPROVE = 'Approve';

/**
 * The extension in Pi: names and registers the session, delivers reports, sends corrections, and asks the person of a node in a dialog of Pi's own.
 *
 * Handlers return before anything is delivered or answered, since Pi waits for them and stands still meanwhile. Only a settled run leads to a look at
 * messages, never the start of a session.
 */
export function relayExtension(pi: PiApi, parts: HostParts): void {
  const { node, relay, log } = parts;
  const turns = new HandledTurns();
  const approval = new OpenApproval();
  let dialog: AbortController | undefined;

  const send = (ctx: PiContext, text: string): unknown => (ctx.isIdle() ? pi.sendUserMessage(text) : pi.sendUserMessage(text, { deliverAs: 'followUp' }));

  const settled = (ctx: PiContext): void => {
    const turn = lastTurn(ctx);
    if (turn === undefined || !turns.take(turn)) return;
    const decision = decideTurn(node, turn);
    log('turn', { messageId: turn.messageId, decision: decision.do });
    if (decision.do === 'deliver') deliverInBackground(parts, turn, decision.report, (text) => send(ctx, text));
    if (decision.do === 'correct') correctInBackground(parts, decision.text, (text) => send(ctx, text));
    // In print mode the call exists and answers nothing: there is nobody to ask.
    if (decision.do === 'ask' && ctx.hasUI) inBackground(log, () => ask(ctx, turn, decision.report));
  };

  const ask = async (ctx: PiContext, turn: FinishedTurn, report: Report): Promise<void> => {
    const open = new AbortController();
    dialog = open;
    approval.open(turn);
    const answer = await ctx.ui.select(`Approve relay-flow report for ${titleOf(node)}`, [APPROVE, 'Reject'], { signal: open.signal });
    const valid = approval.close(turn);
    if (answer !== APPROVE) {
      log('not approved', { messageId: turn.messageId });
      return;
    }
    if (!valid || lastTurn(ctx)?.messageId !== turn.messageId) {
      ctx.ui.notify('A newer message has replaced this report, so it was not sent.', 'warning');
      return;
    }
    log('approved', { messageId: turn.messageId });
    deliverInBackground(parts, turn, report, (text) => send(ctx, text));
  };

  /** Another turn begins, or another session: what is on screen to be approved is not the newest any more. */
  const invalidate = (): void => {
    approval.invalidate();
    dialog?.abort();
    dialog = undefined;
  };

  const on = (event: Parameters<PiApi['on']>[0], handler: (ctx: PiContext) => void): void => {
    pi.on(event, (_event, ctx) => {
      try {
        handler(ctx);
      } catch (error) {
        log('failed', { error: kindOf(error) });
      }
    });
  };

  on('session_start', (ctx) => {
    invalidate();
    const sessionId = ctx.sessionManager.getSessionId();
    inBackground(log, () => relay.register(sessionId));
    if (pi.getSessionName() !== titleOf(node)) pi.setSessionName(titleOf(node));
  });
  on('agent_start', invalidate);
  on('session_shutdown', invalidate);
  on('agent_settled', settled);
}

/** The newest message, if it is an agent's. Its entry in the session names it. */
function lastTurn(ctx: PiContext): FinishedTurn | undefined {
  const entries = ctx.sessionManager.getBranch().map(recordOf);
  const last = entries.findLast((entry) => entry['type'] === 'message');
  const message = recordOf(last?.['message']);
  const messageId = textOf(last?.['id']);
  if (messageId === undefined || message['role'] !== 'assistant') return undefined;
  const { stopReason, content } = message;
  const texts = listOf(content).map(recordOf).filter((part) => part['type'] === 'text').flatMap((part) => textOf(part['text']) ?? []);
  return { sessionId: ctx.sessionManager.getSessionId(), messageId, text: texts.join('\n'), aborted: stopReason === 'aborted' || stopReason === 'error' };
}
