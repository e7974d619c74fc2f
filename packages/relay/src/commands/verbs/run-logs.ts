import type { RunLogEntry } from '../../server/api.js';
import type { CommandContext } from '../command.js';
import { ofTicket } from '../of-ticket.js';
import { jsonLine } from '../text/clean.js';
import { logLines } from '../view/log-lines.js';

/** How long the server holds a call for which there is nothing yet. */
const WAIT_MS = 20_000;

export async function execute(context: CommandContext): Promise<number> {
  const { client, invocation: { switches }, io, asJson, paint } = context;
  const at = ofTicket(context);
  const follow = switches.has('follow');
  const show = (entries: readonly RunLogEntry[]): void => {
    for (const entry of entries) io.out.write(asJson ? `${jsonLine(entry)}\n` : `${logLines(entry, paint, io.now()).join('\n')}\n`);
  };
  let after: string | undefined;
  let runId: string | undefined;
  let empty = true;
  for (;;) {
    const query = { ...at.query, ...(after === undefined ? {} : { after }), ...(follow && after !== undefined ? { wait: String(WAIT_MS) } : {}) };
    const logs = await client().call('runLogs', { params: at.params, query, timeoutMs: WAIT_MS + 15_000 });
    // The ticket was restarted meanwhile: the cursor was another attempt's.
    const moved = runId !== undefined && runId !== logs.runId;
    runId = logs.runId;
    if (moved) {
      after = undefined;
      continue;
    }
    show(logs.entries);
    empty &&= logs.entries.length === 0;
    const more = logs.next !== after && logs.entries.length > 0;
    after = logs.next;
    if (more || (follow && !logs.ended)) continue;
    if (empty && !asJson) io.err.write('Nothing has happened yet.\n');
    return 0;
  }
}
