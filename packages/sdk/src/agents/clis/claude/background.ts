import { textOf, type JsonRecord } from '../../driver/record.js';

/** What runs in the background: shell commands and subagents that the model does not wait for. */
export class BackgroundWork {
  readonly #open = new Map<string, string>();

  /** Descriptions of what has begun and not ended. */
  get open(): readonly string[] {
    return [...this.#open.values()];
  }

  read(record: JsonRecord): void {
    const id = textOf(record['task_id']);
    if (id === undefined) return;
    if (record['subtype'] === 'task_started') this.#open.set(id, textOf(record['description']) ?? id);
    if (record['subtype'] === 'task_notification') this.#open.delete(id);
  }
}
