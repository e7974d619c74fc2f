import { listOf, recordOf, textOf } from '../json.js';
import type { FinishedTurn } from '../turn.js';

/** Who answered, so that a text from here goes to the same agent and model instead of the default ones. */
export interface Speaker {
  readonly agent?: string;
  readonly model?: { readonly providerID: string; readonly modelID: string };
}

/** The turn that a message ends, or undefined where it is no finished answer of an agent. */
export function turnOf(sessionId: string, info: unknown, parts: unknown): FinishedTurn | undefined {
  const message = recordOf(info);
  const messageId = textOf(message['id']);
  if (messageId === undefined || message['role'] !== 'assistant') return undefined;
  const failed = message['error'] !== undefined && message['error'] !== null;
  const completed = typeof recordOf(message['time'])['completed'] === 'number';
  return { sessionId, messageId, text: textIn(parts), aborted: failed || !completed };
}

/** What the agent wrote: neither its thoughts and tool calls, nor what the host has put in. */
function textIn(parts: unknown): string {
  return listOf(parts)
    .map(recordOf)
    .filter((part) => part['type'] === 'text' && part['synthetic'] !== true && part['ignored'] !== true)
    .flatMap((part) => textOf(part['text']) ?? [])
    .join('\n');
}

export function speakerOf(info: unknown): Speaker {
  const message = recordOf(info);
  const agent = textOf(message['agent']);
  const providerID = textOf(message['providerID']);
  const modelID = textOf(message['modelID']);
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(providerID === undefined || modelID === undefined ? {} : { model: { providerID, modelID } }),
  };
}

/** The session an event is about. Releases differ in where they put it. */
export function sessionOf(event: unknown): string | undefined {
  const { properties, data } = recordOf(event);
  return textOf(recordOf(properties)['sessionID']) ?? textOf(recordOf(data)['sessionID']);
}
