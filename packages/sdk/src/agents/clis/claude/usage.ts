import { countOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import type { AgentUsage } from '../../port.js';

interface Tokens {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

const NONE: Tokens = { input: 0, cached: 0, output: 0 };

/**
 * What a turn has used. A result states it with its dollars, for subagents and the CLI's own requests too; until then the messages are added up, each once: a record
 * of a message repeats what it read and knows of one token that it wrote, and the number of these comes with its end.
 *
 * In a session that goes on, `modelUsage` and `total_cost_usd` of 2.1.332 are those of the whole session: what is new stands in
 * `model_usage_since_last_result`. 2.1.197 has no such member, and counts from its start, over all its results.
 */
export class TurnUsage {
  #settled: Tokens = NONE;
  #dollars: number | undefined;
  /** The messages since the last result, by their ids. */
  #messages = new Map<string, Tokens>();
  #streaming = '';

  /** `undefined` as long as no model was asked. */
  get total(): AgentUsage | undefined {
    if (this.#dollars === undefined && this.#messages.size === 0) return undefined;
    const { input, cached, output } = [this.#settled, ...this.#messages.values()].reduce(plus);
    return {
      inputTokens: input,
      outputTokens: output,
      ...(cached === 0 ? {} : { cachedInputTokens: cached }),
      // The messages that came since then have no price yet.
      ...(this.#dollars === undefined || this.#messages.size > 0 ? {} : { microDollars: Math.round(this.#dollars * 1e6) }),
    };
  }

  message(message: JsonRecord): void {
    const id = textOf(message['id']);
    if (id === undefined || message['model'] === '<synthetic>') return;
    this.#note(id, recordOf(message['usage']));
  }

  /** A piece of a message. Its last one has no id in every version; only the messages of the main agent come in pieces, one after the other. */
  piece(event: JsonRecord): void {
    if (event['type'] === 'message_start') {
      this.#streaming = textOf(recordOf(event['message'])['id']) ?? '';
      this.message(recordOf(event['message']));
    }
    if (event['type'] === 'message_delta' && this.#streaming !== '') this.#note(this.#streaming, recordOf(event['usage']));
  }

  result(record: JsonRecord): void {
    const since = record['model_usage_since_last_result'];
    const models = Object.values(recordOf(since ?? record['modelUsage'])).map(recordOf);
    const stated = models.map(tokensOfModel).reduce(plus, NONE);
    const dollars = since === undefined ? countOf(record['total_cost_usd']) : models.reduce((sum, model) => sum + (countOf(model['costUSD']) ?? 0), 0);
    this.#settled = since === undefined ? stated : plus(this.#settled, stated);
    if (dollars !== undefined) this.#dollars = since === undefined ? dollars : (this.#dollars ?? 0) + dollars;
    this.#messages = new Map();
  }

  #note(id: string, usage: JsonRecord): void {
    const { input, cached, output } = tokensOfMessage(usage);
    const known = this.#messages.get(id) ?? NONE;
    this.#messages.set(id, { input: Math.max(known.input, input), cached: Math.max(known.cached, cached), output: Math.max(known.output, output) });
  }
}

function tokensOfMessage(usage: JsonRecord): Tokens {
  const cached = countOf(usage['cache_read_input_tokens']) ?? 0;
  return { input: (countOf(usage['input_tokens']) ?? 0) + (countOf(usage['cache_creation_input_tokens']) ?? 0) + cached, cached, output: countOf(usage['output_tokens']) ?? 0 };
}

function tokensOfModel(model: JsonRecord): Tokens {
  const cached = countOf(model['cacheReadInputTokens']) ?? 0;
  return { input: (countOf(model['inputTokens']) ?? 0) + (countOf(model['cacheCreationInputTokens']) ?? 0) + cached, cached, output: countOf(model['outputTokens']) ?? 0 };
}

function plus(a: Tokens, b: Tokens): Tokens {
  return { input: a.input + b.input, cached: a.cached + b.cached, output: a.output + b.output };
}
