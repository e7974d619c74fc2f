import { correctInBackground, deliverInBackground, inBackground, type HostParts } from '../delivery/host-relay.js';
import { kindOf } from '../delivery/log.js';
import { titleOf } from '../environment.js';
import { listOf, recordOf, textOf } from '../json.js';
import { decideTurn, HandledTurns, type FinishedTurn } from '../turn.js';
import { sessionOf, speakerOf, turnOf, type Speaker } from './message.js';

/** What the plugin uses of OpenCode's client (V1). */
export interface ServerClient {
  readonly session: {
    readonly get: (request: { path: { id: string } }) => Promise<unknown>;
    readonly messages: (request: { path: { id: string } }) => Promise<unknown>;
    readonly update: (request: { path: { id: string }; body: { title: string } }) => Promise<unknown>;
    readonly promptAsync: (request: { path: { id: string }; body: { parts: readonly { type: 'text'; text: string }[] } & Speaker }) => Promise<unknown>;
  };
}

/**
 * Only this hook sees events of the bus; keys with the name of an event are never called. Observed with 1.18.33: the terminal's server calls it, and
 * does not wait for it; `opencode run` loads plugins but never calls it, so nothing is delivered from there.
 */
export interface ServerHooks {
  event?: (input: { readonly event: unknown }) => Promise<void>;
}

/**
 * The plugin in OpenCode's server: names and registers the session, delivers reports of agent nodes, sends corrections. For nodes with a person it
 * delivers nothing but failures that need no approval; whoever asks the person is the plugin in the terminal.
 *
 * An event is acted upon in the background. Only `session.idle` leads to a look at messages, never the start: the
 * last report of a session that is resumed has been delivered before.
 */
export function serverPlugin(client: ServerClient, parts: HostParts): ServerHooks {
  const { node, relay, log } = parts;
  const turns = new HandledTurns();
  const titled = new Set<string>();
  /** Whether a session belongs to a subtask of another, which is not the node's. */
  const children = new Map<string, boolean>();

  const sessionSeen = (info: Readonly<Record<string, unknown>>): void => {
    const id = textOf(info['id']);
    if (id === undefined) return;
    children.set(id, textOf(info['parentID']) !== undefined);
    if (children.get(id) === true) return;
    inBackground(log, () => relay.register(id));
    if (titled.has(id)) return;
    // First, since the update is announced by the event that led here.
    titled.add(id);
    if (info['title'] !== titleOf(node)) inBackground(log, () => client.session.update({ path: { id }, body: { title: titleOf(node) } }));
  };

  const idle = async (sessionId: string): Promise<void> => {
    // A resumed session may be idle before anything else was heard of it.
    if (!children.has(sessionId)) sessionSeen(recordOf(recordOf(await client.session.get({ path: { id: sessionId } }))['data']));
    if (children.get(sessionId) !== false) return;
    const last = recordOf(listOf(recordOf(await client.session.messages({ path: { id: sessionId } }))['data']).at(-1));
    const turn = turnOf(sessionId, last['info'], last['parts']);
    if (turn === undefined || !turns.take(turn)) return;
    act(turn, speakerOf(last['info']));
  };

  const act = (turn: FinishedTurn, speaker: Speaker): void => {
    const send = (text: string): unknown => client.session.promptAsync({ path: { id: turn.sessionId }, body: { ...speaker, parts: [{ type: 'text', text }] } });
    const decision = decideTurn(node, turn);
    log('turn', { messageId: turn.messageId, decision: decision.do });
    if (decision.do === 'deliver') deliverInBackground(parts, turn, decision.report, send);
    if (decision.do === 'correct') correctInBackground(parts, decision.text, send);
  };

  return {
    event: async ({ event }) => {
      try {
        const { type, properties } = recordOf(event);
        if (type === 'session.created' || type === 'session.updated') sessionSeen(recordOf(recordOf(properties)['info']));
        const sessionId = type === 'session.idle' ? sessionOf(event) : undefined;
        if (sessionId !== undefined) inBackground(log, () => idle(sessionId));
      } catch (error) {
        log('failed', { error: kindOf(error) });
      }
    },
  };
}
