/** Options of `f.done`. */
export interface DoneOptions {
  /** Why, for a person. Redacted, trimmed, and at most `COMPLETION_DETAIL_MAX_CODE_POINTS` long; a longer one is cut. */
  detail?: string;
}
