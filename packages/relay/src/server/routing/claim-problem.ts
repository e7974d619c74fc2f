import { shellWord } from '../../host/shell-word.js';
import type { TaskProblem } from '../../task/port.js';
import type { Ownership } from './claims.js';

/** What a person has to know of a claim that no server follows; nothing about one that is somebody else's. Pure. */
export function claimProblem(of: { readonly repo: string; readonly ticket: string; readonly workflow: string; readonly ownership: Exclude<Ownership, 'ours'> }): readonly TaskProblem[] {
  const { repo, ticket, workflow, ownership } = of;
  if (ownership === 'nobody') {
    return [{ where: ticket, text: `${ticket} is claimed by ${workflow} for nobody, as early versions claimed tickets, so no server works on it.`, hint: `If no other server does, take it with \`relay-flow run claim --ticket ${shellWord(ticket)} --repo ${shellWord(repo)}\`.` }];
  }
  if (ownership === 'others') return [];
  return [{ where: ticket, text: `${ticket} was claimed by ${workflow} for several owners at once, so this server leaves it alone.`, hint: `If no server works on it, remove all but one of its labels wf-owner:${workflow}:… in the task system.` }];
}
