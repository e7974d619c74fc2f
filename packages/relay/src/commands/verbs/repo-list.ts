import { oneLine } from '../text/clean.js';
import { grid } from '../text/columns.js';
import type { CommandContext, Shown } from '../command.js';
import { ticketNotes } from '../view/ticket-notes.js';

export async function execute({ client, paint, room }: CommandContext): Promise<Shown> {
  const repos = await client().call('listRepos', {});
  if (repos.length === 0) return { data: repos, lines: [], notes: ['No repository is registered. Add one with `relay-flow repo register`.'] };
  const rows = repos.map(({ name, path, workflows, activeRuns, problem, ticketProblems }) => [name, workflows.join(', ') || '-', String(activeRuns), oneLine(path), problem === null ? '' : oneLine(problem), ticketProblems.length === 0 ? '' : String(ticketProblems.length)]);
  const [head = '', ...lines] = grid([{ title: 'repository' }, { title: 'workflows', least: 10 }, { title: 'active', right: true }, { title: 'path', least: 16 }, { title: 'problem', least: 12 }, { title: 'tickets to mend', right: true }], rows, room);
  return { data: repos, lines: [paint.dim(head), ...lines], notes: ticketNotes(repos) };
}
