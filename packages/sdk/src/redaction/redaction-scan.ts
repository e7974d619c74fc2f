import { AnchorIndex } from './anchor-index.js';
import type { Rest, Rule } from './finding.js';
import type { KnownValues } from './known-values.js';
import { placeholder } from './placeholder.js';
import { bearerTokens, secretHeaders } from './rules/headers.js';
import { namedValues } from './rules/named-values.js';
import { privateKey } from './rules/private-key.js';
import { tokenShapes } from './rules/token-shapes.js';
import { urlCredentials } from './rules/url-credentials.js';
import { inOrder, Search, type Found } from './search.js';
import { TextWindow } from './text-window.js';

/** How far a rule looks back from its anchor, rounded up. */
const CONTEXT = 512;

const RULES: readonly Rule[] = [...tokenShapes, privateKey, secretHeaders, bearerTokens, namedValues, urlCredentials];

export const anchorIndex = new AnchorIndex(RULES.flatMap((rule) => rule.anchors.map((anchor) => ({ anchor, value: rule }))));

interface OpenRest {
  readonly rest: Rest;
  at: number;
}

/**
 * One pass over a text that arrives in pieces.
 *
 * It owns the text that is not delivered yet and the last `CONTEXT` characters that are. Invariants:
 * 1. What is delivered depends on the text alone, not on where it was split.
 * 2. Before `#done`, everything is delivered or swallowed. An anchor before `#anchorsFrom`, and the beginning of a value before `#valuesFrom`, is judged for good.
 * 3. Nothing is delivered at or behind a place where a secret that is not judged yet may begin. Secrets that overlap become one placeholder, named after the one that
 *    begins first.
 * 4. Memory is bounded: rules look a bounded distance ahead, and a secret that is known to have begun is not kept.
 */
export class RedactionScan {
  readonly #values: KnownValues;
  #text = '';
  #done = 0;
  #anchorsFrom = 0;
  #valuesFrom = 0;
  #open: OpenRest[] = [];

  constructor(values: KnownValues) {
    this.#values = values;
  }

  push(piece: string): string {
    this.#text += piece;
    return this.#advance(false);
  }

  end(): string {
    return this.#advance(true);
  }

  /** The whole text at once, which has neither an anchor nor a value before the two indexes. */
  whole(text: string, anchorsFrom: number, valuesFrom: number): string {
    this.#text = text;
    this.#anchorsFrom = anchorsFrom;
    this.#valuesFrom = valuesFrom;
    return this.#advance(true);
  }

  #advance(final: boolean): string {
    const text = this.#text;
    const window = new TextWindow(text, final);
    const rules = this.#searchAnchors(window);
    const values = this.#searchValues(window);
    const hold = Math.min(rules.hold, values.hold, this.#runOpenRests(text, final));

    let output = '';
    let position = this.#done;
    const unfinished: Found[] = [];
    for (const finding of inOrder([...values.found, ...rules.found])) {
      if (finding.start >= hold && finding.start >= position) {
        // Its turn comes when what is before it is decided.
        (finding.by === 'value' ? values : rules).postpone(finding.anchor, finding.start);
        continue;
      }
      if (finding.start >= position) output += text.slice(position, finding.start) + placeholder(finding.label);
      position = Math.max(position, finding.end);
      if (!finding.ended) unfinished.push(finding);
    }
    const limit = Math.max(position, Math.min(hold, text.length));
    output += text.slice(position, limit);
    this.#done = limit;
    this.#anchorsFrom = rules.next;
    this.#valuesFrom = values.next;
    // A finding that will be noticed again brings its rest along again.
    for (const { rest, end, anchor, by } of unfinished) {
      if (rest !== undefined && anchor < (by === 'value' ? values.next : rules.next)) this.#open.push({ rest, at: end });
    }
    this.#forget();
    return output;
  }

  #searchAnchors(window: TextWindow): Search {
    const search = new Search(window, 'rule');
    const { text } = window;
    anchorIndex.each(text, this.#anchorsFrom, (at, rule) => search.judge(at, () => rule.inspect(window, at)));
    if (!window.final) {
      anchorIndex.eachCutOff(text, this.#anchorsFrom, (index, rule) => search.postpone(index, rule.mayBegin?.(text, index) === true ? index : text.length));
    }
    return search;
  }

  #searchValues(window: TextWindow): Search {
    const search = new Search(window, 'value');
    const { text } = window;
    for (let at = this.#values.next(text, this.#valuesFrom); at !== -1; at = this.#values.next(text, at + 1)) {
      const start = at;
      search.judge(start, () => this.#values.inspect(window, start));
    }
    if (!window.final) this.#values.eachCutOff(text, this.#valuesFrom, (index) => search.postpone(index, index));
    return search;
  }

  /** Goes on with the secrets whose end was not seen yet, and moves `#done` behind what belongs to them. */
  #runOpenRests(text: string, final: boolean): number {
    let hold = text.length;
    const stillOpen: OpenRest[] = [];
    for (const open of this.#open) {
      const step = open.rest.advance(text, open.at, final);
      open.at = step.at;
      this.#done = Math.max(this.#done, step.at);
      if (step.ended) continue;
      stillOpen.push(open);
      hold = Math.min(hold, step.at);
    }
    this.#open = stillOpen;
    return hold;
  }

  /** Drops the text that no rule can look back to any more. */
  #forget(): void {
    const needed = Math.min(this.#done, this.#anchorsFrom, this.#valuesFrom, ...this.#open.map(({ at }) => at));
    const dropped = needed - CONTEXT;
    if (dropped <= 0) return;
    this.#text = this.#text.slice(dropped);
    this.#done -= dropped;
    this.#anchorsFrom -= dropped;
    this.#valuesFrom -= dropped;
    for (const open of this.#open) open.at -= dropped;
  }
}
