import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRelayError } from '../../errors/relay-error.js';
import { errorFields } from '../../host/server-log.js';
import type { Workshop } from '../workshop.js';
import type { Reports } from './reports.js';

/** More than a report ever has. */
const MOST_BYTES = 4 * 1024 * 1024;
/** A file that was being written, and whose writer must be gone by now. */
const LEFT_MS = 60 * 60_000;
/** As often as an agent without a terminal is asked again. */
const MOST_CORRECTIONS = 5;

/**
 * Takes what plugins noted in a folder of the home: reports that their programs did not live to deliver, and how often agents had to be corrected. A plugin that is still
 * there delivers its report too; whichever comes second is a repeat.
 */
export class Noted {
  readonly #shop: Workshop;
  readonly #reports: Reports;
  readonly #folder: string;

  constructor(args: { readonly shop: Workshop; readonly reports: Reports; readonly folder: string }) {
    this.#shop = args.shop;
    this.#reports = args.reports;
    this.#folder = args.folder;
  }

  /** Never throws: what cannot be taken now is looked at again. */
  async look(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      try {
        await this.#file(name);
      } catch (error) {
        // Its plugin has put it away meanwhile.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
        this.#shop.log.warn('what a plugin noted could not be taken', { name, ...errorFields(error) });
      }
    }
  }

  async #file(name: string): Promise<void> {
    const path = join(this.#folder, name);
    const found = await lstat(path);
    if (!found.isFile()) return;
    if (name.endsWith('.new') && this.#shop.clock.now() - found.mtimeMs > LEFT_MS) await rm(path, { force: true });
    const [report, corrections] = [name.endsWith('.report.json'), name.endsWith('.corrections.json')];
    if (!report && !corrections) return;
    if (found.size > MOST_BYTES) {
      this.#shop.log.warn('what a plugin noted is too long to be taken, and put away', { name, bytes: found.size });
      await rm(path, { force: true });
      return;
    }
    const text = await readFile(path, 'utf8');
    if (report ? await this.#isAnswered(text) : this.#isPast(text, found.mtimeMs)) await this.#drop(path, text);
  }

  /** Whether the report needs no more: it was taken, comes too late, or will never be taken. */
  async #isAnswered(text: string): Promise<boolean> {
    const { log } = this.#shop;
    try {
      const message: unknown = JSON.parse(text);
      const { duplicate } = await this.#reports.deliver(message);
      const { runId, node, reportId } = message as Readonly<Record<'runId' | 'node' | 'reportId', string>>;
      log.info('a report that its agent could not deliver was taken', { runId, node, reportId, outcome: duplicate ? 'duplicate' : 'accepted' });
      return true;
    } catch (error) {
      const final = error instanceof SyntaxError || (isRelayError(error) && (error.code === 'report_invalid' || error.code === 'request_invalid'));
      if (!final) throw error;
      log.warn('a report that its agent could not deliver is refused', errorFields(error));
      return true;
    }
  }

  /** Shows on the run that its agent does not come to a valid report. Whether the visit is over. */
  #isPast(text: string, at: number): boolean {
    const { store, clock } = this.#shop;
    const { runId, node, corrections } = correctionsIn(text);
    const run = store.run(runId);
    if (run === undefined || run.node === null || run.node !== node) return true;
    const runtime = store.runtime(run.id, run.node);
    // Said to an agent that was replaced since.
    if (runtime === undefined || at < runtime.launchedAt) return false;
    const lastError = `${run.node} gave no valid report in ${corrections} answers.`;
    if (corrections < MOST_CORRECTIONS || run.state !== 'waiting' || run.lastError === lastError) return false;
    store.together(() => {
      store.updateRun(run.id, { lastError, attention: `The agent of ${run.node} has been told ${corrections} times what is wrong with its report, and goes on trying: look at its terminal ${runtime.handle ?? ''}.`, at: clock.now() });
      if (run.lastError === null) store.log(run.id, { at: clock.now(), node: run.node, visit: run.visit, text: lastError });
    });
    return false;
  }

  /** Unless there is another by now. */
  async #drop(path: string, text: string): Promise<void> {
    if ((await readFile(path, 'utf8').catch(() => text)) === text) await rm(path, { force: true });
  }
}

/** What is no note of corrections is one about no run. */
function correctionsIn(text: string): { readonly runId: string; readonly node: string; readonly corrections: number } {
  try {
    const { runId, node, corrections } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof runId === 'string' && typeof node === 'string' && typeof corrections === 'number') return { runId, node, corrections };
  } catch {
    // As below.
  }
  return { runId: '', node: '', corrections: 0 };
}
