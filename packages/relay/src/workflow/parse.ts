import type { Route, WorkflowDefinition, WorkflowNode } from './definition.js';
import type { Draft, DraftNode, DraftRoute, Field } from './draft.js';
import { nullPlaces } from './null-places.js';
import type { WorkflowProblem } from './problem.js';
import { readDraft } from './read-draft.js';
import { END, START, endRoutesRule, lifecycleNodeRule, noWorkRule, startRoutesRule } from './rules/lifecycle.js';
import { nameRule, nodeNameRule, reposRule } from './rules/naming.js';
import { problemsOf, type Finding } from './rules/rule.js';
import { noWayBackRule, reachRule, targetRule } from './rules/routes.js';
import { warnings } from './rules/warnings.js';
import { settingsRule } from './rules/settings.js';
import { templateRule, workRule } from './rules/work.js';
import type { TaskRules } from '../task/port.js';
import type { TaskConfigLayer } from '../task/task-config.js';
import { plain, type LocatedMap } from './yaml/located.js';
import { readYaml } from './yaml/read-yaml.js';

export type ParsedWorkflow =
  | { readonly workflow: WorkflowDefinition; readonly warnings: readonly WorkflowProblem[] }
  /** Every mistake, by rule and then by place; never empty. */
  | { readonly problems: readonly WorkflowProblem[] };

/**
 * Reads a workflow's YAML strictly. All mistakes are found at once, except that YAML which cannot be read hides the others. Looks at nothing beside the text: whether
 * repositories, agents and statuses exist is asked when the workflow is submitted. Never throws.
 *
 * @param options.taskRules what the task system takes for settings; without it `taskConfig` is only looked through for nulls
 * @param yamlText the file as text or as bytes; at most 1 MiB
 * @param options.file the name that problems carry
 */
export function parseWorkflow(yamlText: string | Uint8Array, options: { readonly file?: string; readonly taskRules?: TaskRules } = {}): ParsedWorkflow {
  const { file, taskRules } = options;
  const name = (found: readonly WorkflowProblem[]): readonly WorkflowProblem[] => (file === undefined ? found : found.map((problem) => ({ ...problem, file })));
  const yaml = readYaml(yamlText);
  if ('problems' in yaml) return { problems: name(yaml.problems.map((problem) => ({ rule: 1, ...problem }))) };
  const { draft, problems: shape } = readDraft(yaml.root);
  const problems = [...shape.map((problem) => ({ rule: 1, ...problem })), ...ruleProblems(draft), ...(taskRules === undefined ? [] : problemsOf(15, settingsRule(draft, taskRules)))];
  if (problems.length > 0) return { problems: name(bounded(problems)) };
  return { workflow: build(draft), warnings: name(problemsOf(0, warnings(draft))) };
}

/** A file that is wrong through and through is not told so a thousand times. */
function bounded(problems: readonly WorkflowProblem[]): readonly WorkflowProblem[] {
  const [next] = problems.slice(MOST_PROBLEMS);
  return next === undefined ? problems : [...problems.slice(0, MOST_PROBLEMS), { ...next, text: `There are ${problems.length - MOST_PROBLEMS} more mistakes.`, hint: 'Correct those above first.' }];
}

const MOST_PROBLEMS = 100;

function ruleProblems(draft: Draft): readonly WorkflowProblem[] {
  const nodes = draft.nodes?.value ?? [];
  const findings: readonly (readonly [rule: number, findings: readonly Finding[]])[] = [
    [2, [draft, ...nodes].flatMap(({ taskConfig }) => nullFindings(taskConfig))],
    [3, nameRule(draft)],
    [4, reposRule(draft)],
    [5, lifecycleNodeRule(draft, START)],
    [6, noWorkRule(nodes, START)],
    [7, startRoutesRule(nodes)],
    [8, lifecycleNodeRule(draft, END)],
    [9, [...noWorkRule(nodes, END), ...endRoutesRule(nodes)]],
    [10, [...nodeNameRule(nodes), ...workRule(nodes)]],
    [11, templateRule(nodes)],
    [12, noWayBackRule(nodes)],
    [13, targetRule(nodes)],
    [14, reachRule(nodes)],
  ];
  return findings.flatMap(([rule, found]) => problemsOf(rule, found));
}

function nullFindings(taskConfig: Field<LocatedMap> | undefined): readonly Finding[] {
  return taskConfig === undefined ? [] : nullPlaces(taskConfig.located).map((at): Finding => [at, `${at.path} is empty (null).`, 'Remove the key to inherit its value, or write one; "" and [] switch a setting off.']);
}

function build(draft: Draft): WorkflowDefinition {
  return {
    name: draft.name?.value ?? '',
    repos: (draft.repos?.value ?? []).flatMap(({ value }) => (value === undefined ? [] : [value])),
    cleanupRunnerOnEnd: draft.cleanupRunnerOnEnd?.value ?? false,
    ...layer(draft.taskConfig),
    nodes: Object.fromEntries((draft.nodes?.value ?? []).map((node) => [node.name, buildNode(node)])),
  };
}

function buildNode(node: DraftNode): WorkflowNode {
  const rest = { ...layer(node.taskConfig), onSuccess: buildRoutes(node.onSuccess), onFailure: buildRoutes(node.onFailure) };
  if (node.name === START || node.name === END) return { type: 'lifecycle', ...rest };
  return {
    type: node.type?.value === 'hitl' ? 'hitl' : 'agent',
    agent: node.agent?.value ?? '',
    description: node.description?.value ?? '',
    ...(node.nudgePrompt?.value === undefined ? {} : { nudgePrompt: node.nudgePrompt.value }),
    autoReject: node.autoReject?.value ?? false,
    ...rest,
  };
}

function buildRoutes(routes: Field<readonly DraftRoute[]> | undefined): readonly Route[] {
  return (routes?.value ?? []).map(({ target, when }) => ({ target: target?.value ?? '', ...(when?.value === undefined || when.value.trim() === '' ? {} : { when: when.value }) }));
}

/** Without nulls, which rule 2 has refused. */
function layer(taskConfig: Field<LocatedMap> | undefined): { readonly taskConfig?: TaskConfigLayer } {
  return taskConfig?.value === undefined ? {} : { taskConfig: plain(taskConfig.value) as TaskConfigLayer };
}
