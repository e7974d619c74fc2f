import { AnchorIndex } from './anchor-index.js';
import type { Finding, Rest, Rule } from './finding.js';
import type { KnownValues } from './known-values.js';
import { placeholder } from './placeholder.js';
import { bearerTokens, secretHeaders } from './rules/headers.js';
import { namedValues } from './rules/named-values.js';
import { privateKey } from './rules/private-key.js';
import { tokenShapes } from './rules/token-shapes.js';
import { urlCredentials } from './rules/url-credentials.js';
import { TextWindow } from './text-window.js';

/** How far a rule looks back from its anchor, rounded up. */
const CONTEXT = 512;

const RULES: readonly Rule[] = [...tokenShapes, privateKey, secretHeaders, bearerTokens, namedValues, urlCredentials];

export const anchorIndex = new AnchorIndex(RULES.flatMap((rule) => rule.anchors.map((anchor) => ({ anchor, value: rule }))));

interface Found extends Finding {
  /** Where it was noticed; it is noticed again when the search begins there or before. */
  readonly anchor: number;
  readonly by: 'value' | 'rule';
  end: number;
  ended: boolean;
}

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
    const found: Found[] = [];
    const hold = Math.min(this.#searchAnchors(window, found), this.#searchValues(window, found), this.#runOpenRests(text, final));
    let nextAnchors = this.#anchorsFrom;
    let nextValues = this.#valuesFrom;

    let output = '';
    let position = this.#done;
    const opened: Found[] = [];
    found.sort((a, b) => a.start - b.start || (a.by === b.by ? b.end - a.end : a.by === 'value' ? -1 : 1));
    for (const finding of found) {
      if (finding.start >= hold && finding.start >= position) {
        if (finding.by === 'value') nextValues = Math.min(nextValues, finding.anchor);
        else nextAnchors = Math.min(nextAnchors, finding.anchor);
        continue;
      }
      if (finding.start >= position) output += text.slice(position, finding.start) + placeholder(finding.label);
      position = Math.max(position, finding.end);
      if (!finding.ended) opened.push(finding);
    }
    const limit = Math.max(position, Math.min(hold, text.length));
    output += text.slice(position, limit);
    this.#done = limit;
    this.#anchorsFrom = nextAnchors;
    this.#valuesFrom = nextValues;
    // A finding that will be noticed again brings its rest along again.
    for (const { rest, end, anchor, by } of opened) {
      if (rest !== undefined && anchor < (by === 'value' ? nextValues : nextAnchors)) this.#open.push({ rest, at: end });
    }
    this.#forget();
    return output;
  }

  /** Asks the rules about every anchor. Answers from where on nothing may be delivered. */
  #searchAnchors(window: TextWindow, found: Found[]): number {
    const { text } = window;
    const ends = new Map<string, number>();
    let hold = text.length;
    let next = text.length;
    anchorIndex.each(text, this.#anchorsFrom, (at, rule) => {
      window.reset();
      const finding = rule.inspect(window, at);
      if (window.undecided) {
        hold = Math.min(hold, window.holdFrom);
        next = Math.min(next, at);
      } else if (finding !== undefined) {
        hold = Math.min(hold, follow(window, finding, at, 'rule', ends, found));
      }
    });
    if (!window.final) {
      anchorIndex.eachCutOff(text, this.#anchorsFrom, (index, rule) => {
        next = Math.min(next, index);
        if (rule.mayBegin?.(text, index) === true) hold = Math.min(hold, index);
      });
    }
    this.#anchorsFrom = next;
    return hold;
  }

  #searchValues(window: TextWindow, found: Found[]): number {
    const { text } = window;
    const ends = new Map<string, number>();
    let hold = text.length;
    let next = text.length;
    for (let at = this.#values.next(text, this.#valuesFrom); at !== -1; at = this.#values.next(text, at + 1)) {
      window.reset();
      const finding = this.#values.inspect(window, at);
      if (window.undecided) {
        hold = Math.min(hold, window.holdFrom);
        next = Math.min(next, at);
      } else if (finding !== undefined) {
        hold = Math.min(hold, follow(window, finding, at, 'value', ends, found));
      }
    }
    if (!window.final) {
      this.#values.eachCutOff(text, this.#valuesFrom, (index) => {
        hold = Math.min(hold, index);
        next = Math.min(next, index);
      });
    }
    this.#valuesFrom = next;
    return hold;
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

/**
 * Finds the end of a secret as far as the text goes. Answers from where on nothing may be delivered because its rest is not decided yet.
 *
 * One that begins inside an earlier one with the same kind of rest ends where that one ends; it is left out, which keeps the search linear.
 */
function follow(window: TextWindow, finding: Finding, anchor: number, by: 'value' | 'rule', ends: Map<string, number>, found: Found[]): number {
  const { rest, certainTo } = finding;
  const { text } = window;
  if (rest === undefined) {
    found.push({ ...finding, anchor, by, end: certainTo, ended: true });
    return text.length;
  }
  if (rest.kind !== undefined && finding.start < (ends.get(rest.kind) ?? -1)) return text.length;
  const step = rest.advance(text, certainTo, window.final);
  if (rest.kind !== undefined) ends.set(rest.kind, step.ended ? step.at : text.length);
  found.push({ ...finding, anchor, by, end: step.at, ended: step.ended });
  return step.ended ? text.length : step.at;
}
