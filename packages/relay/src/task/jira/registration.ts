import { Complaints } from '../config/complaints.js';
import type { RegistrationField } from '../port.js';
import type { TaskConfigLayer } from '../task-config.js';
import type { JiraClient } from './client/client.js';
import { projectFacts, type ProjectFacts } from './project.js';
import { readSettings, STATUS_NAMES } from './settings.js';
import { readProjects } from './shapes.js';

const PAGE = 50;
/** Nobody chooses from a longer list. */
const MOST_PROJECTS = 1_000;

const PROMPTS = {
  start: 'Status of tickets that wait for work to begin',
  work: 'Status of tickets that are worked on',
  end: 'Status of tickets that are done',
} as const;
const CATEGORIES = { start: 'new', work: 'indeterminate', end: 'done' } as const;

type Values = Readonly<Record<string, string>>;

/** Asked one after another: which statuses there are is only known once the project is. */
export async function registrationFields(client: JiraClient, repo: { readonly name: string }, values: Values): Promise<readonly RegistrationField[]> {
  const { project } = values;
  const component: readonly RegistrationField[] = values['component'] === undefined ? [{ name: 'component', prompt: 'Component of the project that holds the tickets of this repository', initial: repo.name }] : [];
  if (project === undefined) return [{ name: 'project', prompt: 'Jira project', choices: await projects(client) }, ...component];
  const missing = STATUS_NAMES.filter((name) => values[`statusDefaults.${name}`] === undefined);
  if (missing.length === 0) return component;
  const facts = await projectFacts(client, project);
  // Ticket and mailbox are brought to the same statuses.
  const shared = facts.parentStatuses.filter((status) => facts.taskStatuses.includes(status));
  return [...component, ...missing.map((name) => statusField(name, shared, facts))];
}

function statusField(name: (typeof STATUS_NAMES)[number], statuses: readonly string[], { categories }: ProjectFacts): RegistrationField {
  const fits = statuses.filter((status) => {
    const category = categories.get(status);
    return category === undefined || (category === 'done') === (name === 'end');
  });
  const initial = fits.find((status) => categories.get(status) === CATEGORIES[name]);
  return { name: `statusDefaults.${name}`, prompt: PROMPTS[name], choices: fits.map((status) => ({ value: status, label: status })), ...(initial === undefined ? {} : { initial }) };
}

async function projects(client: JiraClient): Promise<readonly { readonly value: string; readonly label: string }[]> {
  const found: { value: string; label: string }[] = [];
  for (;;) {
    const { values, isLast } = await client.send({ method: 'GET', path: 'project/search', query: { startAt: found.length, maxResults: PAGE }, about: 'the list of projects', read: readProjects });
    found.push(...values.map(({ key, name }) => ({ value: key, label: `${key}: ${name}` })));
    if (isLast !== false || values.length === 0 || found.length >= MOST_PROJECTS) return found;
  }
}

/** The repo layer from the answers. Throws `task_config_invalid`. */
export function registrationConfig(repo: { readonly name: string }, values: Values): TaskConfigLayer {
  const names = ['project', 'component', ...STATUS_NAMES.map((name) => `statusDefaults.${name}`)];
  const complaints = new Complaints();
  for (const unknown of Object.keys(values).filter((name) => !names.includes(name))) complaints.add(`Jira has no setting ${unknown} when a repository is registered.`, `Use ${names.map((name) => `\`${name}\``).join(', ')}.`);
  for (const missing of names.filter((name) => name !== 'component' && (values[name] ?? '').trim() === '')) complaints.add(`The setting ${missing} is missing.`, `Use \`--set ${missing}=...\`.`);
  complaints.refuse();
  const { project, component, statuses } = readSettings({
    project: values['project'] ?? '',
    component: values['component'] ?? repo.name,
    statusDefaults: Object.fromEntries(STATUS_NAMES.map((name) => [name, values[`statusDefaults.${name}`] ?? ''])),
  });
  return { project, component, statusDefaults: { ...statuses } };
}
