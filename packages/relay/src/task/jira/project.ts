import { Complaints } from '../config/complaints.js';
import type { JiraClient } from './client/client.js';
import { invalid, STATUS_NAMES, type JiraSettings } from './settings.js';
import { readIssueTypes, type JiraIssueType } from './shapes.js';

/** What a project has: read when it is asked, since people change it. */
export interface ProjectFacts {
  readonly issueTypes: readonly string[];
  /** Of tickets. */
  readonly parentStatuses: readonly string[];
  /** Of mailboxes. */
  readonly taskStatuses: readonly string[];
  /** The type of mailboxes; `undefined` when the project has none below tickets. */
  readonly mailboxType: { readonly id: string; readonly name: string } | undefined;
  /** All types below tickets. */
  readonly subtaskTypes: readonly string[];
  /** `new`, `indeterminate`, `done`, by the name of a status, where Jira says so. */
  readonly categories: ReadonlyMap<string, string>;
}

/** Throws `task_missing`, and what the client throws. */
export async function projectFacts(client: JiraClient, project: string): Promise<ProjectFacts> {
  const types = await client.send({ method: 'GET', path: `project/${encodeURIComponent(project)}/statuses`, about: `the statuses of project ${project}`, read: readIssueTypes });
  const tickets = types.filter(({ subtask }) => !subtask);
  const subtasks = types.filter(({ subtask }) => subtask);
  const mailboxType = subtasks.find(({ name }) => /^sub-?task$/i.test(name)) ?? subtasks[0];
  return {
    issueTypes: tickets.map(({ name }) => name),
    parentStatuses: namesOf(tickets),
    taskStatuses: mailboxType === undefined ? [] : namesOf([mailboxType]),
    mailboxType,
    subtaskTypes: subtasks.map(({ name }) => name),
    categories: new Map(types.flatMap(({ statuses }) => statuses.flatMap(({ name, statusCategory }) => (statusCategory === undefined ? [] : [[name, statusCategory.key] as const])))),
  };
}

function namesOf(types: readonly JiraIssueType[]): readonly string[] {
  return [...new Set(types.flatMap(({ statuses }) => statuses.map(({ name }) => name)))];
}

/** Whether the statuses of the settings exist, for tickets and for mailboxes. Throws `task_config_invalid`. */
export function checkStatuses({ project, statuses }: JiraSettings, facts: ProjectFacts): { readonly id: string; readonly name: string } {
  const { mailboxType } = facts;
  if (mailboxType === undefined) throw invalid(`The project ${project} has no issue type below tickets, so there is no place for mailboxes.`, 'Add the type Subtask to the project.');
  const complaints = new Complaints();
  const need = (...asked: Parameters<typeof needStatus>): void => complaints.of(() => needStatus(...asked));
  for (const name of STATUS_NAMES) {
    const path = `taskConfig.statusDefaults.${name}`;
    need(statuses[name], path, facts.parentStatuses, `no ticket of project ${project}`);
    need(statuses[name], path, facts.taskStatuses, `no ${mailboxType.name} of project ${project}`);
    const category = facts.categories.get(statuses[name]);
    if (category !== undefined && (category === 'done') !== (name === 'end')) {
      complaints.add(
        `\`${path}\` is ${JSON.stringify(statuses[name])}, which Jira ${category === 'done' ? 'counts as done' : 'does not count as done'}.`,
        name === 'end' ? 'Choose a status of the green category, or finished tickets would be picked up again.' : 'Choose one in which a ticket is still open, or it would not be seen.',
      );
    }
  }
  complaints.refuse();
  return mailboxType;
}

/** Throws `task_config_invalid`. Names count to the letter. */
export function needStatus(status: string, path: string, known: readonly string[], who: string): void {
  if (known.includes(status)) return;
  const meant = known.find((one) => one.toLowerCase() === status.trim().toLowerCase());
  throw invalid(`\`${path}\` is ${JSON.stringify(status)}, a status that ${who} has.`, meant === undefined ? `Use one of ${known.map((one) => JSON.stringify(one)).join(', ')}.` : `Write it as Jira does: ${JSON.stringify(meant)}.`);
}
