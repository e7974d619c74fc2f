import { createAgentServices, createRedactor, findConfig, surveyAgents, type FlowsConfig, type SurveyedAgent } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { EXIT } from '../report/exit-status.js';
import { problemOfError } from '../report/problem.js';
import { diagnosticOf } from '../report/report-document.js';
import { problemLines, type LineStyle } from '../report/report-lines.js';
import { cleanLine, jsonLine } from '../text/clean.js';
import { colorsFor } from '../text/colors.js';
import { table } from '../text/table.js';

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values, switches }, io, style } = context;
  const asked = values['cli'];
  const config = findConfig(io.cwd)?.config;
  const surveyed = await surveyAgents({
    agents: createAgentServices({ redact: createRedactor({ env: io.env }) }),
    config,
    run: { cwd: io.cwd, hostEnv: io.env },
    ...(asked === undefined ? {} : { clis: [asked] }),
  });
  const needed = surveyed.filter(({ cli, isDefault }) => isDefault || cli === asked);
  const ok = needed.every(({ problem }) => problem === undefined);
  if (switches.has('json')) {
    io.stdout.write(`${jsonLine({ v: 1, ok, command: 'agents', models: config?.models ?? null, agents: surveyed.map((agent) => asData(agent, config)) })}\n`);
  } else {
    const [head = '', ...rows] = asTable(surveyed, config, io.stdout.isTerminal ? io.stdout.columns : undefined);
    io.stdout.write(`${[colorsFor(io.stdout.isTerminal, io.env).dim(head), ...rows, '', ...policy(config)].join('\n')}\n`);
    const lines = helpLines(surveyed, asked, style);
    if (lines.length > 0) io.stderr.write(`${lines.join('\n')}\n`);
  }
  return ok ? EXIT.success : EXIT.refused;
}

const STATES: Readonly<Record<string, string>> = {
  cli_missing: 'not installed',
  cli_outdated: 'too old',
  cli_unauthenticated: 'not signed in',
  cli_unsupported: 'not usable',
  provider_usage_limited: 'limit reached',
  probe_failed: 'no answer',
};

function stateOf({ problem }: SurveyedAgent): string {
  return problem === undefined ? 'ready' : (STATES[problem.code] ?? problem.code);
}

/** The models of a CLI that a flow may name; `undefined` when the CLI does not list them. */
function allowedModels({ models }: SurveyedAgent, config: FlowsConfig | undefined): readonly string[] | undefined {
  const allowed = config?.models;
  return allowed === undefined ? models : models?.filter((model) => allowed.includes(model));
}

function asData(agent: SurveyedAgent, config: FlowsConfig | undefined): Record<string, unknown> {
  const { cli, isDefault, executable, version, account, problem } = agent;
  return {
    cli,
    default: isDefault,
    state: stateOf(agent),
    executable: executable ?? null,
    version: version ?? null,
    account: account ?? null,
    models: allowedModels(agent, config) ?? null,
    ...(problem === undefined ? {} : { problem: diagnosticOf(problemOfError(problem)) }),
  };
}

/** How many names of models are worth a cell. */
const NAMED = 3;

function asTable(surveyed: readonly SurveyedAgent[], config: FlowsConfig | undefined, columns: number | undefined): string[] {
  const head = [{ title: 'agent' }, { title: 'state' }, { title: 'version' }, { title: 'signed in' }, { title: 'models' }, { title: 'found at', flexible: true as const }];
  const rows = surveyed.map((agent) => {
    const models = allowedModels(agent, config);
    const named = models === undefined ? '' : models.length > 0 && models.length <= NAMED ? models.join(', ') : String(models.length);
    return [agent.isDefault ? `${agent.cli} (default)` : agent.cli, stateOf(agent), agent.version ?? '', agent.account ?? '', named, agent.executable ?? ''].map(cleanLine);
  });
  return table(head, rows, columns);
}

function policy(config: FlowsConfig | undefined): string[] {
  if (config?.models === undefined) return ['Every model is allowed: no flows.json limits them.'];
  return [config.models.length === 0 ? 'flows.json allows no model at all.' : `flows.json allows these models: ${cleanLine(config.models.join(', '))}.`];
}

/** What keeps each from being used: a refusal where somebody counts on it, and a line for each of the others. */
function helpLines(surveyed: readonly SurveyedAgent[], asked: string | undefined, style: LineStyle): string[] {
  return surveyed.flatMap((agent) => {
    const { problem, isDefault, cli } = agent;
    if (problem === undefined) return [];
    if (isDefault || cli === asked) return problemLines(problemOfError(problem), style);
    const what = problem.code === 'cli_missing' ? '' : `${problem.text} `;
    return [cleanLine(`${cli}: ${what}${problem.hint ?? ''}`.trim())];
  });
}
