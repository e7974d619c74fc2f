import type { Home } from '../../host/home.js';
import type { Pollers } from '../poller.js';
import { recheckWorkflows } from '../workflows/load.js';
import type { WorkflowBook } from '../workflows/book.js';
import type { Workshop } from '../workshop.js';
import { openRepoIsolated } from './open.js';
import type { RepoBook } from './register.js';

/** Tries repositories again that could not be opened: a disk that is mounted late, or a folder that somebody makes, needs no restart. */
export class Reopener {
  readonly #parts: { readonly shop: Workshop; readonly home: Home; readonly book: RepoBook; readonly workflowBook: WorkflowBook; readonly pollers: Pollers };
  #timer: { cancel(): void } | undefined;
  #closed = false;

  constructor(parts: { readonly shop: Workshop; readonly home: Home; readonly book: RepoBook; readonly workflowBook: WorkflowBook; readonly pollers: Pollers }) {
    this.#parts = parts;
  }

  begin(): void {
    if (this.#closed) return;
    const { clock, config } = this.#parts.shop;
    this.#timer = clock.setTimer(config.pollIntervalSeconds * 1_000, () => void this.#look().finally(() => this.begin()));
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const { shop, home, book, workflowBook, pollers } = this.#parts;
    for (const name of shop.repos.problems.keys()) {
      const entry = book.entries[name];
      if (this.#closed || entry === undefined || (await openRepoIsolated(shop, name, entry)) !== undefined) continue;
      // It may have been removed meanwhile.
      if (book.entries[name] === undefined) {
        shop.repos.remove(name);
        continue;
      }
      shop.log.info('a repository can be used again', { repo: name });
      await recheckWorkflows({ shop, home, workflowBook, repo: name });
      pollers.rebind();
    }
  }
}
