import { isRelayError } from '../../errors/relay-error.js';
import { readConfig } from '../../host/config.js';
import type { RelayConfig } from '../../host/config-types.js';
import type { Home } from '../../host/home.js';
import { readIfThere } from '../../host/private-file.js';
import { readYaml } from '../../host/yaml-file.js';
import { createHarness, createRunner, type PluginFacts } from '../../server/plugins.js';
import type { TaskConfigProblem } from '../../task/config/problem.js';
import { resolveTaskConfig } from '../../task/config/resolve.js';
import { taskRulesOf } from '../../task/rules.js';
import { workNodes, type WorkflowDefinition } from '../../workflow/definition.js';
import type { WorkflowProblem } from '../../workflow/problem.js';
import type { Place } from '../../workflow/yaml/located.js';
import type { CommandContext } from '../command.js';

/** What a home says about a workflow, beside what the workflow says itself. */
export interface HomeFindings {
  readonly problems: readonly WorkflowProblem[];
  readonly warnings: readonly WorkflowProblem[];
}

/** The rule number of what a home says. */
const RULE = 16;

/** The settings of the home; `undefined` without one, and why they cannot be read. */
export function settingsOfHome(context: Pick<CommandContext, 'home'>): { readonly home: Home; readonly config: RelayConfig } | { readonly unusable: string } | undefined {
  try {
    const home = context.home();
    return readIfThere(home.config) === undefined ? undefined : { home, config: readConfig(home) };
  } catch (error) {
    if (isRelayError(error)) return { unusable: error.text };
    throw error;
  }
}

interface Asked extends PluginFacts {
  readonly workflow: WorkflowDefinition;
  readonly file: string;
  readonly placeOf: (path: string) => Place;
}

/** Looks at a workflow as `workflow submit` would, as far as that can be done with what is on this machine. */
export async function findingsAtHome(asked: Asked): Promise<HomeFindings> {
  const { config, workflow, file, placeOf } = asked;
  const [problems, warnings]: [WorkflowProblem[], WorkflowProblem[]] = [[], []];
  workflow.repos.forEach((name, index) => {
    if (Object.hasOwn(config.repos, name)) return;
    warnings.push({ rule: 0, file, ...placeOf(`repos[${index}]`), text: `No repository ${name} is registered in this home.`, hint: 'Register it with `relay-flow repo register` before the workflow is submitted.' });
  });
  problems.push(...settingsProblems(asked));
  const say = (error: unknown, place: Place & { readonly file: string }): void => {
    if (!isRelayError(error)) throw error;
    // What keeps the server from its start is no mistake of the workflow, and said there.
    const certain = error.code === 'harness_rejected';
    const list = certain ? problems : warnings;
    const { text, hint = '' } = error;
    if (!list.some((known) => known.text === text)) list.push({ rule: certain ? RULE : 0, ...place, text, hint });
  };
  const harness = await made(() => createHarness(asked), (error) => say(error, inConfig(asked, ['harnessConfig'])));
  const runner = await made(() => createRunner(asked), (error) => say(error, inConfig(asked, ['runnerConfig'])));
  if (harness?.kind === 'terminal' && runner !== undefined && runner.terminals === undefined) {
    warnings.push({ rule: 0, ...inConfig(asked, ['harnessPlugin']), text: `The harness ${harness.name} works in a terminal, and the runner ${runner.name} has none.`, hint: 'Choose a runner with terminals, or a headless harness such as command or claude.' });
  }
  if (harness === undefined) return { problems, warnings };
  const agents = new Map(workNodes(workflow).toReversed().map(([node, { agent }]) => [agent, node]));
  for (const name of workflow.repos.filter((repo) => Object.hasOwn(config.repos, repo))) {
    const { path } = config.repos[name] ?? { path: '' };
    for (const [agent, node] of agents) await made(() => harness.validateAgent({ path, agent }), (error) => say(error, { file, ...placeOf(`nodes.${node}.agent`) }));
  }
  return { problems, warnings };
}

async function made<T>(make: () => Promise<T>, failed: (error: unknown) => void): Promise<T | undefined> {
  try {
    return await make();
  } catch (error) {
    failed(error);
    return undefined;
  }
}

/** Mistakes in config.yaml that count for the workflow. Those of its own have been found already. */
function settingsProblems(asked: Asked): readonly WorkflowProblem[] {
  const { config, workflow: { repos, taskConfig, nodes } } = asked;
  const found = new Map<string, WorkflowProblem>();
  for (const name of repos) {
    const entry = Object.hasOwn(config.repos, name) ? config.repos[name] : undefined;
    if (entry === undefined) continue;
    const shared = { root: config.taskConfig, repo: entry.taskConfig, ...(taskConfig === undefined ? {} : { workflow: taskConfig }) };
    for (const layers of [shared, ...Object.values(nodes).flatMap((node) => (node.taskConfig === undefined ? [] : [{ ...shared, node: node.taskConfig }]))]) {
      for (const { path, scope, text, hint } of problemsOf(() => resolveTaskConfig({ system: taskRulesOf(config.taskPlugin), layers }))) {
        if (scope !== 'root' && scope !== 'repo') continue;
        const [key = ''] = path.split(/[.[]/);
        found.set(text, { rule: RULE, ...inConfig(asked, scope === 'root' ? ['taskConfig', key] : ['repos', name, 'taskConfig', key]), text, hint });
      }
    }
  }
  return [...found.values()];
}

function problemsOf(resolve: () => unknown): readonly TaskConfigProblem[] {
  try {
    resolve();
    return [];
  } catch (error) {
    if (isRelayError(error) && error.code === 'task_config_invalid') return error.evidence['problems'] as readonly TaskConfigProblem[];
    throw error;
  }
}

function inConfig({ home }: Pick<PluginFacts, 'home'>, path: readonly string[]): Place & { readonly file: string } {
  const { line = 1, column = 1 } = readYaml(readIfThere(home.config) ?? '').at(path, '');
  return { file: home.config, path: path.join('.'), line, column };
}
