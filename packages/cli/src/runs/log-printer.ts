import type { Io, Output } from '../io.js';
import { cleanColored } from '../text/clean.js';
import { LineAssembler } from '../text/line-assembler.js';
import { LogReader, type StepLog } from './step-logs.js';
import { transcriptLine } from './transcript-line.js';

/** How logs appear: `apart` sends each stream to its own, `together` sends all to stdout, `prefixed` names the step on each line as well. */
export type LogForm = 'apart' | 'together' | 'prefixed';

/** Copies logs to the terminal or wherever stdout goes, as far as they are written, again and again. */
export class LogPrinter {
  readonly #io: Io;
  readonly #form: LogForm;
  readonly #open = new Map<string, { readonly reader: LogReader; readonly lines: LineAssembler }>();

  constructor(io: Io, form: LogForm) {
    this.#io = io;
    this.#form = form;
  }

  /** Prints what was added to a log since the last time. */
  async copy(log: StepLog): Promise<void> {
    let opened = this.#open.get(log.path);
    if (opened === undefined) this.#open.set(log.path, (opened = { reader: new LogReader(log), lines: new LineAssembler() }));
    const output = this.#form === 'apart' && log.stream === 'stderr' ? this.#io.stderr : this.#io.stdout;
    for await (const piece of opened.reader.pieces()) {
      if (output.gone.aborted) return;
      if (this.#byLine(log)) this.#writeLines(output, log, opened.lines.push(piece));
      else output.write(shownOn(output, piece));
      await output.flushed();
    }
  }

  /** Lines that were never ended. */
  end(): void {
    for (const { reader: { log }, lines } of this.#open.values()) this.#writeLines(this.#io.stdout, log, lines.end());
  }

  #byLine(log: StepLog): boolean {
    return this.#form === 'prefixed' || log.stream === 'transcript';
  }

  #writeLines(output: Output, log: StepLog, lines: readonly string[]): void {
    const prefix = this.#form === 'prefixed' ? `${log.stepId} | ` : '';
    for (const line of lines) {
      const text = log.stream === 'transcript' ? transcriptLine(line) : line;
      if (text !== '' || log.stream !== 'transcript') output.write(`${prefix}${shownOn(output, text)}\n`);
    }
  }
}

/** A terminal shows colors and obeys nothing else; a file or a pipe gets every character. */
function shownOn(output: Output, text: string): string {
  return output.isTerminal ? cleanColored(text) : text;
}
