import { count } from '../text/amounts.js';
import { findingsAtHome, settingsOfHome } from '../check/at-home.js';
import type { CommandContext, Shown } from '../command.js';
import { problemList } from '../view/problem-list.js';
import { ANY_TASK_RULES, taskRulesOf } from '../../task/rules.js';
import { placesIn } from '../../workflow/yaml/read-yaml.js';
import { readWorkflowFile } from '../workflow-file.js';

export async function execute(context: CommandContext): Promise<Shown> {
  const { paint, room, io } = context;
  const found = settingsOfHome(context);
  const here = found === undefined || 'unusable' in found ? undefined : found;
  const { name, text, parsed } = await readWorkflowFile(context, here === undefined ? ANY_TASK_RULES : taskRulesOf(here.config.taskPlugin));
  const home = here === undefined ? null : { path: here.home.root, taskPlugin: here.config.taskPlugin, runnerPlugin: here.config.runnerPlugin, harnessPlugin: here.config.harnessPlugin };
  const note = home === null ? `${found !== undefined && 'unusable' in found ? found.unusable : 'There is no home'}: settings were looked at as any task system takes them, and agents not at all.`
    : `Settings and agents were looked at as the home ${home.path} has them: ${home.taskPlugin}, ${home.runnerPlugin}, ${home.harnessPlugin}.`;

  const more = 'problems' in parsed || here === undefined ? undefined : await findingsAtHome({ ...here, env: io.env, workflow: parsed.workflow, file: name, placeOf: placesIn(text) });
  const problems = 'problems' in parsed ? parsed.problems : (more?.problems ?? []);
  const warnings = 'problems' in parsed ? [] : [...parsed.warnings, ...(more?.warnings ?? [])];
  const lists = [...problemList(problems, 'error', paint, room), ...problemList(warnings, 'warning', paint, room)];
  if ('problems' in parsed || problems.length > 0) {
    return { data: { valid: false, problems, warnings, home }, lines: [...lists, '', problems.every(({ file }) => file === name) ? `${name} has ${count(problems.length, 'mistake')}.` : `${name} cannot be submitted: there ${problems.length === 1 ? 'is a mistake' : `are ${problems.length} mistakes`}.`], notes: [note], exit: 1 };
  }
  const { workflow } = parsed;
  const told = `${name} is a workflow: ${workflow.name}, ${count(Object.keys(workflow.nodes).length, 'node')}, for ${workflow.repos.join(', ')}.`;
  return { data: { valid: true, problems, warnings, workflow, home }, lines: [...lists, ...(lists.length === 0 ? [] : ['']), told], notes: [note] };
}
