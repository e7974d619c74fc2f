import type { TextWindow } from './text-window.js';

/** A secret that a rule found. */
export interface Finding {
  /** Index of its first character. */
  readonly start: number;
  /** What the placeholder says. */
  readonly label: string;
  /** Everything before this index is part of the secret; `rest` finds its end from there. */
  readonly certainTo: number;
  /** Absent: the secret ends at `certainTo`. */
  readonly rest?: Rest;
}

/** Finds the end of a secret that is known to have begun, piece by piece and without keeping it. */
export interface Rest {
  /** Two rests of one kind that run over the same text end at the same place, so the later one need not run. Absent: they may not. */
  readonly kind?: string;
  /** Takes the text from `from`, where the last call stopped. */
  advance(text: string, from: number, final: boolean): RestStep;
}

export interface RestStep {
  /** The secret ends here. */
  readonly ended: boolean;
  /** Up to here the text belongs to the secret. */
  readonly at: number;
}

export interface Rule {
  /** Lower-case texts whose appearance, in any case, is a reason to look closer. At least three characters. */
  readonly anchors: readonly string[];
  /** Whether a secret may begin with the beginning of an anchor, spelled like this: then the beginning is kept back until it is known. */
  mayBegin?(text: string, start: number): boolean;
  /** Judges the anchor at an index. */
  inspect(window: TextWindow, at: number): Finding | undefined;
}
