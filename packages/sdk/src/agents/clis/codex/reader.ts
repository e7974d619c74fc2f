import type { ProcessOutcome } from '../../../process/port.js';
import type { AgentEvent } from '../../../run/events.js';
import { recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import type { CliResult, TurnReader, TurnRecord } from '../../driver/turn-record.js';
import type { AgentRequest } from '../../port.js';
import { codexFailure } from './failure.js';
import { eventsOf } from './record.js';
import { minus, plus, tokensOf, type Tokens } from './rollout.js';
import type { TurnTokens } from './tokens.js';

/** How often the session files are looked at while it works, in milliseconds: no record tells what was used before the turn ends. */
const LOOK_MS = 2_000;
/** It waits 8 s, 13 s, 23 s, 43 s and then a minute at a time for a network, for ever unless its setting says otherwise. */
const PATIENCE = 3;

/** Texts of items of type `error` that nobody can do anything about. */
const NOISE = [
  // For each model that is not in its catalog, such as those of a provider of one's own.
  /^Model metadata for .* not found/,
  /^Falling back from WebSockets to HTTPS transport/,
  // A setting of ours that another version does not have.
  /^Codex is ignoring \d+ unrecognized configuration setting/,
];

/** Reads what `codex exec --json` writes. */
export class CodexReader implements TurnReader {
  turn: TurnRecord = {};
  readonly #request: Pick<AgentRequest, 'mode' | 'cwd' | 'session' | 'permissions'>;
  readonly #tokens: TurnTokens;
  /** What `turn.completed` states: the sum of the whole thread. */
  #stated: Tokens | undefined;
  #waits = 0;
  #looking: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();

  constructor(request: Pick<AgentRequest, 'mode' | 'cwd' | 'session' | 'permissions'>, tokens: TurnTokens) {
    this.#request = request;
    this.#tokens = tokens;
  }

  watch(changed: () => void): void {
    if (this.#request.mode === 'llm') return;
    this.#looking = setInterval(() => {
      this.#look = this.#look.then(async () => await this.#count(false)).then(changed);
    }, LOOK_MS);
  }

  read(record: JsonRecord): readonly AgentEvent[] {
    // What another session does is no matter of this turn.
    if (this.turn.stop === true) return [];
    switch (record['type']) {
      case 'thread.started':
        this.#started(textOf(record['thread_id']));
        return [];
      case 'turn.started':
        this.#goesOn('any result');
        return [];
      case 'item.started':
      case 'item.completed':
        return this.#item(recordOf(record['item']), record['type'] === 'item.started' ? 'start' : 'end');
      case 'turn.completed':
        this.#stated = tokensOf(record['usage']) ?? this.#stated;
        this.#ended({ ok: true, message: this.turn.message ?? '' });
        this.#sum();
        return [];
      case 'turn.failed':
        this.#ended({ ok: false, ...codexFailure(textOf(recordOf(record['error'])['message']) ?? '') });
        return [];
      case 'error':
        return this.#error(textOf(record['message']) ?? '');
      default:
        return [];
    }
  }

  async end(process: ProcessOutcome): Promise<void> {
    clearInterval(this.#looking);
    await this.#look;
    await this.#count(true);
    if (this.turn.result === undefined && process.stopped === undefined && process.exitCode !== undefined && process.exitCode !== 0) {
      // What it cannot even begin, it says on its standard error, before a stack of addresses.
      const said = process.stderr.text.split('\n').find((line) => line.startsWith('Error'));
      if (said !== undefined) this.#ended({ ok: false, ...codexFailure(said.replace(/^Error: /, '')) });
    }
    if (this.#stated !== undefined && this.#tokens.before === undefined) {
      this.#warn('usage_unknown', 'The session file of the thread does not tell what earlier turns used, so this turn is charged with the sum of the whole thread.');
    }
  }

  #started(threadId: string | undefined): void {
    if (threadId === undefined) return;
    const { session, mode } = this.#request;
    if (session?.kind === 'resume' && threadId !== session.id) {
      const text = `It began session ${threadId} instead of continuing ${session.id}.`;
      this.turn = { ...this.turn, stop: true, result: { ok: false, kind: 'session_unknown', text } };
      return;
    }
    // One that is not kept cannot be continued.
    if (mode === 'agent') this.turn = { ...this.turn, sessionId: threadId };
  }

  #item(item: JsonRecord, phase: 'start' | 'end'): readonly AgentEvent[] {
    if (item['type'] === 'error') return this.#note(textOf(item['message']) ?? '');
    this.#goesOn('a failure');
    const text = textOf(item['text']);
    if (item['type'] === 'agent_message' && phase === 'end' && text !== undefined) this.turn = { ...this.turn, message: text };
    if (item['type'] === 'command_execution') this.#sandbox(textOf(item['aggregated_output']) ?? '');
    return eventsOf(item, phase, this.#request.cwd);
  }

  #note(text: string): readonly AgentEvent[] {
    if (NOISE.some((noise) => noise.test(text))) return [{ type: 'other', name: 'notice', detail: text }];
    this.#warn('cli_warning', `codex warns: ${text}`);
    return [];
  }

  /** Where the kernel or a container does not let its sandbox work, every command is refused, and the turn is a success all the same. */
  #sandbox(output: string): void {
    if (this.#request.permissions?.accessPreset !== 'readonly' || !/^(?:bwrap|codex-linux-sandbox|sandbox-exec): /.test(output)) return;
    this.#warn('sandbox_unavailable', `The sandbox of codex does not work on this machine, so the agent could run no command: ${output.split('\n', 1)[0] ?? ''}`);
  }

  #warn(code: string, text: string): void {
    const { warnings = [] } = this.turn;
    if (!warnings.some((warning) => warning.text === text)) this.turn = { ...this.turn, warnings: [...warnings, { code, text }] };
  }

  /** It may try again by itself: then nothing has ended yet. */
  #error(text: string): readonly AgentEvent[] {
    if (!text.startsWith('Reconnecting...')) {
      this.#ended({ ok: false, ...codexFailure(text) });
      return [];
    }
    if (text.startsWith('Reconnecting... waiting for network') && (this.#waits += 1) === PATIENCE) this.#ended({ ok: false, kind: 'lost', text });
    return [{ type: 'other', name: 'reconnecting', detail: text }];
  }

  #ended(result: CliResult): void {
    this.turn = { ...this.turn, result };
  }

  #goesOn(from: 'any result' | 'a failure'): void {
    const { result, ...turn } = this.turn;
    this.#waits = 0;
    if (result !== undefined && (from === 'any result' || !result.ok)) this.turn = turn;
  }

  async #count(last: boolean): Promise<void> {
    const { sessionId } = this.turn;
    if (sessionId !== undefined) await this.#tokens.read(sessionId, last);
    this.#sum(last);
  }

  #sum(last = false): void {
    const { before, own, others, model } = this.#tokens;
    const known = this.#stated === undefined || (before === undefined && !last) ? own : before === undefined ? this.#stated : minus(this.#stated, before);
    if (known === undefined) return;
    const { input, output } = plus(known, others);
    this.turn = { ...this.turn, usage: { inputTokens: input, outputTokens: output }, ...(model === undefined ? {} : { model }) };
  }
}
