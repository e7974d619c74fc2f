import { HARNESS_PLUGINS, RUNNER_PLUGINS, TASK_PLUGINS } from '../../host/plugin-names.js';
import type { CommandDeclaration, OptionDeclaration } from './declaration.js';

const everywhere: readonly OptionDeclaration[] = [
  { name: 'json', summary: 'Print one line of JSON' },
  { name: 'no-color', summary: 'Print without colors; so does NO_COLOR=1' },
];
const ticket: OptionDeclaration = { name: 'ticket', value: 'key', required: true, summary: 'The key of the ticket' };
const repoOfTicket: OptionDeclaration = { name: 'repo', value: 'name', summary: 'Its repository, where several have a ticket of this key' };
const file: OptionDeclaration = { name: 'file', value: 'path', required: true, summary: 'The YAML of the workflow; - reads standard input' };
const name = (of: string): OptionDeclaration => ({ name: 'name', value: 'name', required: true, summary: `The name of the ${of}` });
const noExecutor = 'There is nothing to choose: runs are kept in the journal of the home.';

const declared: readonly CommandDeclaration[] = [
  {
    name: 'init',
    summary: 'Make the home: config.yaml and the database',
    options: [
      { name: 'task-plugin', value: 'name', values: TASK_PLUGINS, summary: `Where tickets are: ${TASK_PLUGINS.join(', ')}` },
      { name: 'runner-plugin', value: 'name', values: RUNNER_PLUGINS, summary: `Where the work happens: ${RUNNER_PLUGINS.join(', ')}` },
      { name: 'harness-plugin', value: 'name', values: HARNESS_PLUGINS, summary: `Who works: ${HARNESS_PLUGINS.join(', ')}` },
      { name: 'force', summary: 'Begin anew; what was there is kept beside it' },
      { name: 'executor-plugin', value: 'name', summary: '', refused: noExecutor },
      { name: 'temporal-address', value: 'address', summary: '', refused: noExecutor },
      { name: 'temporal-namespace', value: 'name', summary: '', refused: noExecutor },
    ],
    together: ['task-plugin', 'runner-plugin', 'harness-plugin'],
    examples: [
      { args: 'init', explains: 'Answer questions; without a terminal: files, worktree, command' },
      { args: 'init --task-plugin jira --runner-plugin worktree --harness-plugin claude', explains: 'From a script' },
    ],
    notes: ['The home is RELAY_FLOW_HOME, by default ~/.relay-flow.'],
  },
  {
    name: 'task auth',
    summary: 'Keep the credentials of the task system',
    options: [
      { name: 'site', value: 'url', summary: 'Jira: https://<site>.atlassian.net' },
      { name: 'email', value: 'address', summary: 'Jira: the address of your account' },
      { name: 'token', value: 'token', summary: 'Jira: an API token. Others can see it in the list of processes' },
    ],
    together: ['site', 'email', 'token'],
    examples: [
      { args: 'task auth', explains: 'Be asked' },
      { args: 'task auth < credentials.txt', explains: 'Three lines: site, email, token' },
    ],
    notes: ['They are written to credentials.yaml in the home, for your eyes only. Files and Beads need none.'],
  },
  {
    name: 'serve',
    summary: 'Run the server: poll tickets, walk workflows',
    options: [
      { name: 'background', summary: 'Start it, wait until it is ready, and leave it running' },
      { name: 'foreground', summary: 'Stay here until Ctrl-C; this is the default' },
      { name: 'recover', summary: 'Set the database aside and take up every claimed ticket from its start' },
      { name: 'debug', summary: 'Log more' },
    ],
    either: ['background', 'foreground'],
    examples: [
      { args: 'serve', explains: 'Run it in this terminal' },
      { args: 'serve --background', explains: 'Run it on its own; `relay-flow stop` ends it' },
      { args: 'serve --recover', explains: 'After the database was lost' },
    ],
    notes: ['RELAY_FLOW_LOG_LEVEL is debug, info (the default), warn or error. The log is server.log in the home.'],
  },
  {
    name: 'stop',
    summary: 'Stop the server; runs go on when it starts again',
    options: [],
    examples: [{ args: 'stop', explains: 'Wait until it has ended' }],
  },
  {
    name: 'repo register',
    summary: 'Have the tickets of a repository polled',
    options: [
      { name: 'name', value: 'name', summary: 'What it is called here' },
      { name: 'path', value: 'path', summary: 'Where it is' },
      { name: 'set', value: 'key=value', many: true, summary: 'What the task system must know; several times' },
    ],
    examples: [
      { args: 'repo register', explains: 'Be asked' },
      { args: 'repo register --name app --path . --set ticketsDir=tickets', explains: 'Tickets are files in the folder tickets' },
    ],
  },
  { name: 'repo list', summary: 'Show the repositories', options: [], examples: [{ args: 'repo list', explains: 'With what keeps one from being polled' }] },
  { name: 'repo get', summary: 'Show a repository and its settings', options: [name('repository')], examples: [{ args: 'repo get --name app', explains: 'Its path, settings and workflows' }] },
  { name: 'repo remove', summary: 'Stop polling a repository', options: [name('repository')], examples: [{ args: 'repo remove --name app', explains: 'Refused while a workflow names it or a run is active' }] },
  {
    name: 'workflow check',
    summary: 'Say what is wrong with a workflow, without a server',
    options: [file],
    examples: [{ args: 'workflow check --file change.yaml', explains: 'Every mistake with its place' }],
  },
  {
    name: 'workflow graph',
    summary: 'Draw a workflow, without a server',
    options: [file, { name: 'format', value: 'format', values: ['mermaid', 'svg'], summary: 'mermaid (default) or svg' }, { name: 'output', value: 'path', summary: 'Write it there. Default: standard output' }],
    examples: [
      { args: 'workflow graph --file change.yaml', explains: 'For a Markdown file' },
      { args: 'workflow graph --file change.yaml --format svg --output change.svg', explains: 'As a picture' },
    ],
  },
  { name: 'workflow submit', summary: 'Store a workflow, or a new version of it', options: [file], examples: [{ args: 'workflow submit --file change.yaml', explains: 'Refused while it has runs that have not ended' }] },
  { name: 'workflow list', summary: 'Show the workflows', options: [], examples: [{ args: 'workflow list', explains: 'With their health, and what repairs it' }] },
  { name: 'workflow get', summary: 'Show a workflow, its YAML and its last runs', options: [name('workflow')], examples: [{ args: 'workflow get --name change', explains: 'As it was submitted' }] },
  { name: 'workflow remove', summary: 'Forget a workflow', options: [name('workflow')], examples: [{ args: 'workflow remove --name change', explains: 'Refused while it has runs that have not ended' }] },
  {
    name: 'run list',
    summary: 'Show where the tickets stand',
    options: [
      { name: 'repo', value: 'name', summary: 'Only of this repository' },
      { name: 'workflow', value: 'name', summary: 'Only of this workflow' },
      { name: 'ticket', value: 'key', summary: 'Only of this ticket: all of its attempts' },
      { name: 'active', summary: 'Only those that have not ended' },
    ],
    examples: [{ args: 'run list --active', explains: 'What is being worked on, and what waits for somebody' }],
  },
  { name: 'run get', summary: 'Show the path of a ticket and what is next', options: [ticket, repoOfTicket], examples: [{ args: 'run get --ticket ABC-12', explains: 'Its last attempt' }] },
  {
    name: 'run logs',
    summary: 'Show what happened and what agents wrote',
    options: [ticket, repoOfTicket, { name: 'follow', summary: 'Go on until it has ended' }],
    examples: [{ args: 'run logs --ticket ABC-12 --follow', explains: 'Watch it' }],
    notes: ['With --json, every entry is a line.', 'Following goes on when the server was away; Ctrl-C ends it.'],
  },
  {
    name: 'run approve',
    summary: 'Accept the report that waits for a person',
    options: [ticket, repoOfTicket, { name: 'yes', summary: 'Do not ask' }, { name: 'report-id', value: 'id', summary: 'Only this report, as `run get --json` names it; do not ask' }],
    examples: [
      { args: 'run approve --ticket ABC-12', explains: 'Read the report, then decide' },
      { args: 'run approve --ticket ABC-12 --report-id s1:m4', explains: 'From a script: what was read is what is approved' },
    ],
  },
  {
    name: 'run reject',
    summary: 'Send the report that waits back to its agent',
    options: [ticket, repoOfTicket, { name: 'reason', value: 'text', summary: 'What is wrong, for the agent' }],
    examples: [{ args: 'run reject --ticket ABC-12 --reason "The tests are missing."', explains: 'The agent reads the reason and reports again; one that was given up is started again' }],
  },
  {
    name: 'run cancel',
    summary: 'Stop the run of a ticket for good',
    options: [ticket, repoOfTicket, { name: 'reason', value: 'text', summary: 'Why; a comment on the ticket says so' }],
    examples: [{ args: 'run cancel --ticket ABC-12 --reason "Not needed any more."', explains: 'Workspace, comments and statuses stay' }],
  },
  { name: 'run restart', summary: 'Begin a canceled run again from its start', options: [ticket, repoOfTicket], examples: [{ args: 'run restart --ticket ABC-12', explains: 'A new attempt with the workflow as it is now' }] },
  {
    name: 'run claim',
    summary: 'Take a ticket whose claim names nobody',
    options: [ticket, repoOfTicket],
    examples: [{ args: 'run claim --ticket ABC-12', explains: 'For claims of early versions: no other server may work on it' }],
  },
  { name: 'report', summary: 'For plugins: deliver a report, JSON on standard input', options: [], examples: [{ args: 'report < report.json', explains: 'Answers {"accepted":…,"duplicate":…}' }] },
  { name: 'runtime-register', summary: 'For plugins: make a session known, JSON on standard input', options: [], examples: [{ args: 'runtime-register < session.json', explains: 'Answers {"accepted":…}' }] },
  { name: 'version', summary: 'Print the version', options: [], examples: [{ args: 'version', explains: 'So do --version and -v' }] },
];

/** In the order of the help. */
export const COMMANDS: readonly CommandDeclaration[] = declared.map((command) => ({ ...command, options: [...command.options, ...everywhere] }));

/** The first words of commands that have two. */
export const GROUPS: readonly string[] = [...new Set(COMMANDS.flatMap(({ name: full }) => (full.includes(' ') ? [full.split(' ')[0] ?? ''] : [])))];

export function commandNamed(full: string): CommandDeclaration | undefined {
  return COMMANDS.find((command) => command.name === full);
}

export function commandsOf(group: string): readonly CommandDeclaration[] {
  return COMMANDS.filter((command) => command.name.startsWith(`${group} `));
}
