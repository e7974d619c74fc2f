import { existsSync, renameSync } from 'node:fs';
import { systemClock } from '@relayflows/sdk';
import { RelayError } from '../../errors/relay-error.js';
import { newConfig } from '../../host/config-edit.js';
import type { Home } from '../../host/home.js';
import { takeLock } from '../../host/lock.js';
import { HARNESS_PLUGINS, RUNNER_PLUGINS, TASK_PLUGINS } from '../../host/plugin-names.js';
import { homeExists, prepareHome } from '../../host/prepare-home.js';
import { replaceFile } from '../../host/private-file.js';
import { layDatabaseAside } from '../../server/recover.js';
import { openState } from '../../server/state.js';
import { openRelayTables } from '../../store/database.js';
import { RelayStore } from '../../store/store.js';
import { asking, type Choice } from '../ask.js';
import type { CommandContext, Shown } from '../command.js';
import { count } from '../text/amounts.js';
import { oneLine } from '../text/clean.js';

interface Plugins {
  readonly taskPlugin: string;
  readonly runnerPlugin: string;
  readonly harnessPlugin: string;
}

export async function execute(context: CommandContext): Promise<Shown> {
  const { invocation: { values, switches }, io, asJson } = context;
  const home = context.home();
  const force = switches.has('force');
  if (!force) refuseExisting(home);
  const given = values['task-plugin'] === undefined ? undefined : { taskPlugin: values['task-plugin'], runnerPlugin: values['runner-plugin'] ?? '', harnessPlugin: values['harness-plugin'] ?? '' };
  const plugins = given ?? (io.canAsk && !asJson ? await askPlugins() : { taskPlugin: TASK_PLUGINS[0], runnerPlugin: RUNNER_PLUGINS[0], harnessPlugin: HARNESS_PLUGINS[0] });

  prepareHome(home);
  const lock = takeLock(home);
  try {
    // Somebody else may have been faster.
    if (!force) refuseExisting(home);
    const kept = force ? setAside(home, io.now()) : [];
    replaceFile(home.config, newConfig(plugins));
    const { database, journal } = await openState({ home, recover: false, clock: systemClock });
    database.close();
    await journal.close();
    prepareHome(home);
    return { data: { home: home.root, config: home.config, ...plugins, kept }, lines: [`The home is ${home.root}.`, ...kept.map((path) => `What was there is kept as ${path}.`)], notes: ['', ...nextSteps(plugins, home)] };
  } finally {
    lock.release();
  }
}

function refuseExisting(home: Home): void {
  if (!homeExists(home)) return;
  const there = [home.config, home.database].filter((path) => existsSync(path));
  if (there.length === 0) return;
  throw new RelayError('home_exists', `There is a home already: ${there.join(' and ')}.`, { hint: 'Use it as it is, choose another with RELAY_FLOW_HOME, or begin anew with `relay-flow init --force`, which keeps what is there beside it.', evidence: { path: home.root } });
}

/** Nothing is lost, and no run is left behind: refused while one has not ended. */
function setAside(home: Home, now: number): readonly string[] {
  const kept: string[] = [];
  if (existsSync(home.database)) {
    const active = activeRuns(home);
    if (active.length > 0) {
      throw new RelayError('home_exists', `${count(active.length, 'run')} in this home ${active.length === 1 ? 'has' : 'have'} not ended: ${active.slice(0, 5).map(oneLine).join(', ')}${active.length > 5 ? ', …' : ''}.`, { hint: 'Start the server and cancel them with `relay-flow run cancel`, or let them end.', evidence: { path: home.root, active: active.length } });
    }
    const name = layDatabaseAside(home, now);
    if (name !== undefined) kept.push(name);
  }
  if (existsSync(home.config)) {
    const stamp = new Date(now).toISOString().replaceAll(/[-:]/g, '').replace(/\.\d+/, '');
    let name = `${home.config}.${stamp}.bak`;
    for (let index = 1; existsSync(name); index += 1) name = `${home.config}.${stamp}-${index}.bak`;
    renameSync(home.config, name);
    kept.push(name);
  }
  return kept;
}

function activeRuns(home: Home): readonly string[] {
  const database = openRelayTables(home.database);
  try {
    return new RelayStore(database).runs({ active: true }).map(({ ticket }) => ticket.key);
  } finally {
    database.close();
  }
}

const HINTS: Readonly<Record<string, string>> = {
  files: 'a folder of Markdown files in the repository',
  jira: 'Jira Cloud',
  beads: 'bd, in a folder beside the repository',
  worktree: 'a git worktree per ticket',
  orca: 'the Orca app',
  command: 'any program that reads a prompt and prints a report',
  claude: 'Claude Code, without a terminal',
  opencode: 'OpenCode, in a terminal of the runner',
  pi: 'Pi, in a terminal of the runner',
};

async function askPlugins(): Promise<Plugins> {
  const ask = await asking('A server that walks a workflow for every ticket');
  const choices = (names: readonly string[]): readonly Choice[] => names.map((name) => ({ value: name, label: name, ...(HINTS[name] === undefined ? {} : { hint: HINTS[name] }) }));
  const taskPlugin = await ask.choose('Where are your tickets?', choices(TASK_PLUGINS));
  const runnerPlugin = await ask.choose('Where shall the work happen?', choices(RUNNER_PLUGINS));
  // OpenCode and Pi need terminals, which only Orca has.
  const harnessPlugin = await ask.choose('Who works?', choices(runnerPlugin === 'orca' ? HARNESS_PLUGINS : HARNESS_PLUGINS.filter((name) => name !== 'opencode' && name !== 'pi')));
  return { taskPlugin, runnerPlugin, harnessPlugin };
}

function nextSteps({ taskPlugin, harnessPlugin }: Plugins, home: Home): readonly string[] {
  return [
    'What to do next:',
    ...(harnessPlugin === 'command' ? [`  Name your program in ${home.config}, as harnessConfig: {command: [program, argument]}`] : []),
    ...(taskPlugin === 'jira' ? ['  relay-flow task auth'] : []),
    '  relay-flow serve --background',
    '  relay-flow repo register',
    '  relay-flow workflow submit --file change.yaml',
  ];
}

