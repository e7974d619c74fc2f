import { systemClock, waitAfter, type Clock } from '../delivery/backoff.js';
import type { Log } from '../delivery/log.js';
import { parsedJson, recordOf, textOf } from '../json.js';
import type { Speaker } from './message.js';

/** What a session that goes on is told. */
export interface ResumedPrompt {
  readonly sessionId: string;
  readonly text: string;
  readonly speaker: Speaker;
}

const NAME = 'RELAY_FLOW_RESUME_JSON';

/**
 * Reads the prompt of a session that is resumed: OpenCode drops a `--prompt` beside `--session`, and what is typed before its terminal stands is lost (both seen
 * with 1.18.33). It is taken out of the environment, so that neither another load of this plugin nor a program that the agent starts says it again.
 */
export function takeResumedPrompt(env: Record<string, string | undefined>): ResumedPrompt | undefined {
  const given = recordOf(parsedJson(env[NAME] ?? ''));
  delete env[NAME];
  const [sessionId, text, agent, provider, model] = ['sessionId', 'text', 'agent', 'provider', 'model'].map((name) => textOf(given[name]));
  if (sessionId === undefined || text === undefined) return undefined;
  return {
    sessionId, text,
    speaker: { ...(agent === undefined ? {} : { agent }), ...(provider === undefined || model === undefined ? {} : { model: { providerID: provider, modelID: model } }) },
  };
}

/** Some four minutes, with the waits between them. */
const MOST_TRIES = 8;

/** Sends it until OpenCode has taken it. Its client tells of a refusal in its answer instead of throwing it. */
export async function sendResumedPrompt(send: () => Promise<unknown>, { log, clock = systemClock }: { readonly log: Log; readonly clock?: Clock }): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    const { error } = recordOf(await send().catch((thrown: unknown) => ({ error: thrown ?? 'unknown' })));
    if (error === undefined || error === null) {
      log('prompt sent', { failures: failures - 1 });
      return;
    }
    log('prompt failed', { failures });
    if (failures === MOST_TRIES) return;
    await clock.sleep(waitAfter(failures, 0.5));
  }
}
