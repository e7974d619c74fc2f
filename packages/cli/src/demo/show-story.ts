import type { RunEvent } from '@relayflows/sdk';
import type { Io } from '../io.js';
import { Painter } from '../terminal/painter.js';
import type { Colors } from '../text/colors.js';
import { duration } from '../text/quantities.js';
import { pad, truncate } from '../text/width.js';
import { Story, type Told } from './story.js';

const STAGE_WIDTH = 11;

/** Shows a run as a story on stderr: a line for each thing that happened, the stages on the left. On a terminal the last line says what goes on. */
export class StoryView {
  readonly #story = new Story();
  readonly #io: Io;
  readonly #colors: Colors;
  readonly #painter: Painter | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #quiet: boolean;
  #began: number;
  #stage = '';

  /** A quiet one shows nothing: the document on stdout tells it all. */
  constructor(io: Io, colors: Colors, { quiet }: { readonly quiet: boolean }) {
    this.#io = io;
    this.#colors = colors;
    this.#quiet = quiet;
    this.#began = io.now();
    if (!quiet && io.stderr.isTerminal && io.env['TERM'] !== 'dumb') {
      this.#painter = new Painter(io.stderr);
      this.#timer = setInterval(() => this.#paint(), 200);
      this.#timer.unref();
    }
  }

  event(event: RunEvent): void {
    if (event.type === 'run.started') this.#began = event.at;
    const told = this.#story.hear(event);
    if (told !== undefined && !this.#quiet) this.print(`${this.#line(told)}\n`);
    this.#paint();
  }

  /** Complete lines from elsewhere. */
  print(text: string): void {
    if (this.#painter === undefined) this.#io.stderr.write(text);
    else this.#painter.print(text);
  }

  /** Gives the terminal back. */
  close(): void {
    clearInterval(this.#timer);
    this.#painter?.clear();
  }

  #line({ stage, text, good }: Told): string {
    const { bold, green, yellow } = this.#colors;
    const shown = stage === this.#stage ? '' : stage;
    this.#stage = stage;
    return `${bold(pad(shown, STAGE_WIDTH))}${good ? green('✓') : yellow('✗')} ${text}`;
  }

  #paint(): void {
    const { now } = this.#story;
    const { columns } = this.#io.stderr;
    if (this.#painter === undefined) return;
    if (now === undefined) this.#painter.paint([]);
    else this.#painter.paint([this.#colors.dim(truncate(`${pad(now.stage === this.#stage ? '' : now.stage, STAGE_WIDTH)}· ${now.text} (${duration(this.#io.now() - this.#began)})`, columns - 1))]);
  }
}
