import { ClaudeReader, failureKind, parseRecord, resetTime } from '@relayflows/sdk/agents';
import type { TurnEnd, TurnReader } from '../port.js';

/** A limit that does not say when it resets is asked again after a quarter of an hour. */
const UNKNOWN_LIMIT_MS = 900_000;
/** How much of a complaint is quoted, in characters. */
const QUOTED = 300;

type Failed = Extract<NonNullable<ClaudeReader['turn']['result']>, { readonly ok: false }>;

/** Reads a turn of Claude Code: what it states decides how the turn ended, never its status alone. */
export class ClaudeTurnReader implements TurnReader {
  readonly #reader: ClaudeReader;
  readonly #now: () => number;
  /** The last line that is no record: what it says where it does not come to one. */
  #plain = '';

  constructor({ cwd, now }: { readonly cwd: string; readonly now: () => number }) {
    this.#reader = new ClaudeReader({ cwd, keepsSession: true });
    this.#now = now;
  }

  line(line: string): void {
    const record = parseRecord(line);
    if (record !== undefined) this.#reader.read(record);
    else if (line.trim() !== '') this.#plain = line;
  }

  session(): string | undefined {
    return this.#reader.turn.sessionId;
  }

  done(): boolean {
    return this.#reader.turn.result !== undefined;
  }

  end(exit: { readonly exitCode?: number; readonly signal?: string }): TurnEnd {
    const { result, sessionId, message } = this.#reader.turn;
    const session = sessionId === undefined ? {} : { sessionId };
    if (result?.ok === true) {
      const text = [result.message, message].find((said) => said !== undefined && said.trim() !== '');
      return text === undefined ? { ...session, failure: 'Claude Code says that it is done, and has not said a word.' } : { ...session, text };
    }
    const how = exit.signal === undefined ? `ended with status ${exit.exitCode ?? 'unknown'}` : `was ended by ${exit.signal}`;
    const failed: Failed = result ?? { ok: false, text: this.#plain };
    const said = quoted(failed.text);
    const failure = result === undefined ? `Claude Code ${how} and stated no result${said === '' ? '.' : `: ${said}`}` : `Claude Code reports a failure${said === '' ? ', and does not say which.' : `: ${said}`}`;
    const kind = failureKind(failed);
    if (kind === 'usage_limited') return { ...session, failure, notBefore: failed.resetsAt ?? resetTime(failed.text, this.#now()) ?? this.#now() + UNKNOWN_LIMIT_MS };
    if (kind === 'session_unknown') return { failure, sessionLost: true };
    return { ...session, failure };
  }
}

function quoted(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  const cut = line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line;
  return cut === '' || /[.!?…]$/.test(cut) ? cut : `${cut}.`;
}
