import { isMap, isPair, isScalar, parseDocument, YAMLMap, type Document } from 'yaml';
import { RelayError } from '../errors/relay-error.js';
import type { TaskConfigLayer } from '../task/task-config.js';
import { parseConfig, readConfig, repoNameProblem } from './config.js';
import type { RelayConfig, RepoEntry } from './config-types.js';
import type { Home } from './home.js';
import { readIfThere, replaceFile } from './private-file.js';

/** Adds a repository. Throws `repo_invalid` when the name or the path is taken or impossible, and `config_invalid` when the file has a mistake already. */
export function addRepo(home: Home, name: string, entry: RepoEntry): RelayConfig {
  const odd = repoNameProblem(name);
  if (odd !== undefined) throw new RelayError('repo_invalid', odd, { hint: 'Choose another name with --name.' });
  return editConfig(home, (config, document) => {
    const namesake = Object.keys(config.repos).find((taken) => taken.toLowerCase() === name.toLowerCase());
    if (namesake !== undefined) {
      throw new RelayError('repo_invalid', `A repository ${namesake} is registered already.`, { hint: 'Choose another name, or remove that one with `relay-flow repo remove`.' });
    }
    const other = Object.entries(config.repos).find(([, { path }]) => path === entry.path);
    if (other !== undefined) throw new RelayError('repo_invalid', `${entry.path} is registered already, as ${other[0]}.`, { hint: 'A repository is registered once.' });
    const value = { path: entry.path, ...(Object.keys(entry.taskConfig).length === 0 ? {} : { taskConfig: entry.taskConfig }) };
    reposOf(document).set(document.createNode(name), document.createNode(value));
  });
}

/** Removes a repository and what is written about it there. Throws `repo_unknown`. */
export function removeRepo(home: Home, name: string): RelayConfig {
  return editConfig(home, (config, document) => {
    if (!Object.hasOwn(config.repos, name)) throw new RelayError('repo_unknown', `No repository ${JSON.stringify(name)} is registered.`, { hint: 'See `relay-flow repo list`.' });
    const repos = reposOf(document);
    const index = repos.items.findIndex(({ key }) => nameOf(key) === name);
    const [removed] = repos.items.splice(index, 1);
    // What stands above the first one may be about all of them.
    const heading = index === 0 && isPair(removed) && isScalar(removed.key) ? removed.key.commentBefore : undefined;
    if (typeof heading === 'string') repos.commentBefore = [repos.commentBefore, heading].filter((text) => typeof text === 'string').join('\n');
    if (repos.items.length === 0) repos.flow = true;
  });
}

/** Says who gets mailboxes where nothing says so yet. Answers with whether that was needed. */
export function setDefaultAssignee(home: Home, assignee: string): boolean {
  let needed = false;
  editConfig(home, (config, document) => {
    needed = !Object.hasOwn(config.taskConfig, 'assignee');
    if (!needed) return;
    const root = document.get('taskConfig', true);
    if (isMap(root) && root.items.length === 0) root.flow = false;
    document.setIn(['taskConfig', 'assignee'], assignee);
  });
  return needed;
}

/** The text of a new config.yaml. */
export function newConfig(plugins: { readonly taskPlugin: string; readonly runnerPlugin: string; readonly harnessPlugin: string; readonly taskConfig?: TaskConfigLayer; readonly harnessConfig?: TaskConfigLayer }): string {
  const { taskPlugin, runnerPlugin, harnessPlugin, taskConfig = {}, harnessConfig = {} } = plugins;
  const document = parseDocument(NEW_CONFIG);
  for (const [key, value] of Object.entries({ taskPlugin, runnerPlugin, harnessPlugin })) document.set(key, value);
  for (const [key, value] of Object.entries({ taskConfig, harnessConfig })) if (Object.keys(value).length > 0) document.set(key, value);
  const text = asText(document, NEW_CONFIG);
  parseConfig(text);
  return text;
}

const NEW_CONFIG = `# The server reads this when it starts. Repositories are added by \`relay-flow repo register\`.

# Seconds between two looks at the tickets of a repository.
pollIntervalSeconds: 15
# Days after which completed and canceled runs are forgotten.
completedRunRetentionDays: 30
# Whether the terminal and the session of a node stay for its next visit.
keepTerminalsAlive: true
keepSessionsAlive: true

# Where tickets come from: files, jira, beads.
taskPlugin: files
taskConfig: {}

# Where the work happens: worktree, orca.
runnerPlugin: worktree
runnerConfig: {}

# Who works: command, claude, opencode, pi.
harnessPlugin: command
harnessConfig: {}

repos: {}
`;

/** Comments, order and quotes stay. The file is replaced as a whole, and an edit by somebody else in between is not lost: it is read again. */
function editConfig(home: Home, edit: (config: RelayConfig, document: Document.Parsed) => void): RelayConfig {
  for (;;) {
    const config = readConfig(home);
    const before = readIfThere(home.config) ?? '';
    const document = parseDocument(before);
    edit(config, document);
    const after = asText(document, before);
    const edited = parseConfig(after, home.config);
    if (readIfThere(home.config) !== before) continue;
    if (after !== before) replaceFile(home.config, after);
    return edited;
  }
}

function reposOf(document: Document.Parsed): YAMLMap {
  const found = document.get('repos', true);
  if (isMap(found)) {
    if (found.items.length === 0) found.flow = false;
    return found;
  }
  const made = new YAMLMap(document.schema);
  document.set('repos', made);
  return made;
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function asText(document: Document.Parsed, before: string): string {
  const indent = /^( +)\S/m.exec(before)?.[1]?.length ?? 2;
  return document.toString({ lineWidth: 0, indent: Math.min(8, Math.max(2, indent)), flowCollectionPadding: /\{ /.test(before) });
}
