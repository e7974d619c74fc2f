import type { CommandContext, Shown } from '../command.js';
import { count } from '../text/amounts.js';
import { runRows } from '../view/run-rows.js';
import { ticketNotes } from '../view/ticket-notes.js';

export async function execute({ client, invocation: { values, switches }, paint, room, io }: CommandContext): Promise<Shown> {
  const { repo, workflow, ticket } = values;
  const runs = await client().call('listRuns', {
    query: { ...(repo === undefined ? {} : { repo }), ...(workflow === undefined ? {} : { workflow }), ...(ticket === undefined ? {} : { ticket }), ...(switches.has('active') ? { active: 'true' as const } : {}) },
  });
  const all = Object.keys(values).length + switches.size === 0;
  // Tickets without a run are in no list of runs, and yet somebody waits for them.
  const stuck = all ? ticketNotes(await client().call('listRepos', {})) : [];
  if (runs.length === 0) return { data: runs, lines: [], notes: [all ? 'There are no runs yet: no ticket was claimed.' : 'No run fits.', ...stuck] };
  const wanted = runs.filter(({ attention }) => attention !== null).length;
  return {
    data: runs,
    lines: runRows(runs, { paint, room, now: io.now() }),
    notes: [...(wanted === 0 ? [] : [`${count(wanted, 'run')} marked with ! ${wanted === 1 ? 'needs' : 'need'} somebody: \`relay-flow run get --ticket <key>\` says for what.`]), ...stuck],
  };
}
