import type { RepoView } from '../../server/answers.js';

/** Where there are tickets that nobody works on before a person has put something right. */
export function ticketNotes(repos: readonly RepoView[]): readonly string[] {
  return repos.filter(({ ticketProblems }) => ticketProblems.length > 0).map(({ name }) => `Tickets of ${name} must be put right: \`relay-flow repo get --name ${name}\` says how.`);
}
