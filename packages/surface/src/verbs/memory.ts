/** A local history of earlier work. Reading it is not a step and is not recorded. A host without one answers `unsupported_verb`. */
export interface MemoryHelper {
  /** What was said or done about a subject, best match first. */
  recall(query: string, options?: MemoryRecallOptions): Promise<MemoryItem[]>;
  /** Why something is the way it is, as far as the history tells. */
  why(task: string): Promise<MemoryItem[]>;
  /** Always refused: flows read the history, they do not write it. */
  learn(...facts: unknown[]): Promise<never>;
}

export interface MemoryRecallOptions {
  /** At most so many items. */
  limit?: number;
}

export interface MemoryItem {
  text: string;
  [detail: string]: unknown;
}
