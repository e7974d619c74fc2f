import path from 'node:path';
import { minus, NO_TOKENS, plus, Rollout, type Tokens } from './rollout.js';
import { begunAt, sessionFile, sessionFiles, stateOf } from './sessions.js';

/** What the session files say of the tokens of one turn. */
export interface TurnTokens {
  /** What the thread had used before this turn; `undefined` when nothing says so (yet). */
  readonly before: Tokens | undefined;
  /** What the thread itself has used in this turn; `undefined` when nothing says so (yet). */
  readonly own: Tokens | undefined;
  /** What its sub-agents have used in this turn. No record of Codex counts them. */
  readonly others: Tokens;
  /** The model of the turn. */
  readonly model: string | undefined;
  /** Reads what was added. `last`: the turn is over, so look everywhere. Never rejects. */
  read(threadId: string, last: boolean): Promise<void>;
}

/** The tokens of a turn that keeps no session. */
export const noTokens: TurnTokens = { before: NO_TOKENS, own: undefined, others: NO_TOKENS, model: undefined, read: async () => undefined };

interface Earlier {
  readonly threadId: string;
  readonly file: string;
  /** Where this turn begins in it, in bytes. */
  readonly size: number;
  /** When it was last written to before this turn. */
  readonly writtenAt: number;
}

/**
 * Counts what a turn of an agent uses while it works: its own thread, and the threads of its sub-agents, which have session files of their own.
 * To be made before the process exists: a thread that is continued is counted from the present end of its file.
 */
export async function turnTokens(codexHome: string, continued: string | undefined): Promise<TurnTokens> {
  const sessions = path.join(codexHome, 'sessions');
  if (continued === undefined) return new SessionTokens(sessions, undefined);
  const file = await sessionFile(sessions, continued);
  const state = file === undefined ? undefined : await stateOf(file);
  return new SessionTokens(sessions, file === undefined || state === undefined ? undefined : { threadId: continued, file, ...state }, continued);
}

class SessionTokens implements TurnTokens {
  before: Tokens | undefined;
  own: Tokens | undefined;
  others = NO_TOKENS;
  model: string | undefined;

  readonly #sessions: string;
  readonly #earlier: Earlier | undefined;
  readonly #continued: string | undefined;
  #rollout: Rollout | undefined;
  readonly #subAgents = new Map<string, Rollout>();
  /** Files of other people's threads. */
  readonly #foreign = new Set<string>();

  constructor(sessions: string, earlier: Earlier | undefined, continued?: string) {
    this.#sessions = sessions;
    this.#earlier = earlier;
    this.#continued = continued;
    if (continued === undefined) this.before = NO_TOKENS;
  }

  async read(threadId: string, last: boolean): Promise<void> {
    const isContinued = threadId === this.#continued;
    // Where a continued thread was not found before, its file cannot tell any more what belongs to this turn.
    if (isContinued && this.#earlier === undefined) return;
    if (this.#rollout === undefined) {
      const file = isContinued ? this.#earlier?.file : await sessionFile(this.#sessions, threadId);
      if (file === undefined) return;
      this.#rollout = new Rollout(file, isContinued ? this.#earlier?.size : 0);
      this.#foreign.add(file);
    }
    if (!(await this.#rollout.readOn())) return;
    const { before, total, model } = this.#rollout;
    this.before = before;
    this.own = minus(total, before);
    this.model = model;
    await this.#readSubAgents(threadId, this.#rollout.rootTurns, last);
  }

  async #readSubAgents(threadId: string, rootTurns: ReadonlySet<string>, last: boolean): Promise<void> {
    const begun = begunAt(threadId) ?? 0;
    // Sub-agents of earlier turns may be used again: they are found by having been written to, once, at the end.
    const since = last ? begun : Math.max(begun, this.#earlier?.writtenAt ?? 0);
    for (const { path: file } of await sessionFiles(this.#sessions, since)) {
      if (this.#foreign.has(file)) continue;
      let rollout = this.#subAgents.get(file);
      if (rollout === undefined) {
        const state = await stateOf(file);
        if (state === undefined || state.writtenAt < (this.#earlier?.writtenAt ?? 0)) continue;
        rollout = new Rollout(file);
        if (!(await rollout.readOn(1)) || rollout.threadId === undefined) continue;
        if (rollout.sessionId !== threadId) {
          this.#foreign.add(file);
          continue;
        }
        this.#subAgents.set(file, rollout);
      }
      await rollout.readOn();
    }
    this.others = [...this.#subAgents.values()].map((rollout) => ofTurn(rollout, rootTurns)).reduce(plus, NO_TOKENS);
  }
}

/** What a sub-agent used on behalf of some turns. A version that does not say so is charged for everything: never too little. */
function ofTurn({ byRootTurn, total }: Rollout, rootTurns: ReadonlySet<string>): Tokens {
  if (byRootTurn.size === 0) return total;
  return [...byRootTurn].filter(([turn]) => rootTurns.has(turn)).map(([, tokens]) => tokens).reduce(plus, NO_TOKENS);
}
