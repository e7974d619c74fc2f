import { constants } from 'node:os';
import type { RunLogEntry } from '../../server/api.js';
import type { CommandContext } from '../command.js';
import { ofTicket } from '../of-ticket.js';
import { untilAnswered } from '../serve/until-answered.js';
import { untilAsked } from '../serve/stop-signals.js';
import { jsonLine } from '../text/clean.js';
import { logLines } from '../view/log-lines.js';

/** How long the server holds a call for which there is nothing yet. */
const WAIT_MS = 20_000;

export async function execute(context: CommandContext): Promise<number> {
  if (!context.invocation.switches.has('follow')) return await show(context, undefined);
  const signals = untilAsked();
  const left = new AbortController();
  let by: NodeJS.Signals | undefined;
  void signals.asked.then((signal) => {
    by = signal;
    left.abort();
  });
  try {
    return await show(context, left.signal);
  } catch (error) {
    // As a shell tells of a command that a signal has ended; what was shown is whole.
    if (by !== undefined) return 128 + constants.signals[by];
    throw error;
  } finally {
    signals.end();
  }
}

/** Shows everything there is; with a signal, until the run has ended, whatever becomes of the server meanwhile. Throws once the signal is given. */
async function show(context: CommandContext, followed: AbortSignal | undefined): Promise<number> {
  const { client, io, asJson, paint } = context;
  const at = ofTicket(context);
  const print = (entries: readonly RunLogEntry[]): void => {
    for (const entry of entries) io.out.write(asJson ? `${jsonLine(entry)}\n` : `${logLines(entry, paint, io.now()).join('\n')}\n`);
  };
  let after: string | undefined;
  let runId: string | undefined;
  let empty = true;
  for (;;) {
    const query = { ...at.query, ...(after === undefined ? {} : { after }), ...(followed !== undefined && after !== undefined ? { wait: String(WAIT_MS) } : {}) };
    const ask = () => client().call('runLogs', { params: at.params, query, timeoutMs: WAIT_MS + 15_000, ...(followed === undefined ? {} : { signal: followed }) });
    // The cursor is the server's own and stands for what was shown, so the call can be made again as it was. A server that has never answered is not waited for.
    const logs = followed === undefined || runId === undefined ? await ask() : await untilAnswered({ ask, io, signal: followed });
    // The ticket was restarted meanwhile: the cursor was another attempt's.
    const moved = runId !== undefined && runId !== logs.runId;
    runId = logs.runId;
    if (moved) {
      after = undefined;
      continue;
    }
    print(logs.entries);
    empty &&= logs.entries.length === 0;
    const more = logs.next !== after && logs.entries.length > 0;
    after = logs.next;
    if (io.out.closed) return 0;
    if (more || (followed !== undefined && !logs.ended)) continue;
    if (empty && !asJson) io.err.write('Nothing has happened yet.\n');
    return 0;
  }
}
