import { existsSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import type { JsonValue } from '@relayflows/sdk';
import { z } from 'zod';
import { RelayError } from '../errors/relay-error.js';
import { RESERVED_REPO_NAMES } from '../server/api.js';
import type { RelayConfig } from './config-types.js';
import type { Home } from './home.js';
import { HARNESS_PLUGINS, RUNNER_PLUGINS, TASK_PLUGINS } from './plugin-names.js';
import { readIfThere } from './private-file.js';
import { problemsText, readYaml, schemaProblems, type YamlFile, type YamlProblem } from './yaml-file.js';

const layer = z.record(z.string(), z.custom<JsonValue>());
const repo = z.strictObject({ path: z.string(), taskConfig: layer.default({}) });
const positive = z.number().int('must be a whole number.').positive('must be greater than 0.');

const config = z.strictObject({
  pollIntervalSeconds: positive.max(86_400, 'must be at most 86400, a day.').default(15),
  completedRunRetentionDays: positive.max(36_500, 'must be at most 36500.').default(30),
  keepTerminalsAlive: z.boolean().default(true),
  keepSessionsAlive: z.boolean().default(true),
  taskPlugin: z.enum(TASK_PLUGINS).default('files'),
  taskConfig: layer.default({}),
  runnerPlugin: z.enum(RUNNER_PLUGINS).default('worktree'),
  runnerConfig: layer.default({}),
  harnessPlugin: z.enum(HARNESS_PLUGINS).default('command'),
  harnessConfig: layer.default({}),
  repos: z.record(z.string(), repo).default({}),
});

/** Settings of relay-flow elsewhere that have no meaning here. */
const ABSENT: Readonly<Record<string, string>> = {
  executorPlugin: 'There is nothing to choose: runs are kept in the journal of this home.',
  temporalAddress: 'There is no Temporal: runs are kept in the journal of this home.',
  temporalNamespace: 'There is no Temporal: runs are kept in the journal of this home.',
};

/** Reads config.yaml as it stands. Throws `config_invalid` with every mistake and its place, also when there is no such file. */
export function readConfig(home: Home): RelayConfig {
  const text = readIfThere(home.config);
  if (text === undefined) {
    throw new RelayError('config_invalid', `There is no ${home.config}.`, { hint: existsSync(home.database) ? 'Put it back, or make an empty one: every setting has a default.' : 'Make one with `relay-flow init`.', evidence: { path: home.config } });
  }
  return parseConfig(text, home.config);
}

/** Checks the text of a config.yaml and gives it its defaults. What the settings of plugins mean is for the plugins to say. Throws `config_invalid`. */
export function parseConfig(text: string, path = 'config.yaml'): RelayConfig {
  const file = readYaml(text);
  const empty = file.document.contents === null && file.document.errors.length === 0;
  const checked = file.problems.length > 0 && !empty ? undefined : config.safeParse(empty ? {} : without(file.content(), ABSENT));
  const problems = empty ? [] : [...file.problems, ...refused(file), ...(checked?.error === undefined ? [] : schemaProblems(file, checked.error, keysAt)), ...(checked?.data === undefined ? [] : contradictions(file, checked.data))];
  if (problems.length === 0 && checked?.data !== undefined) return checked.data;
  throw new RelayError('config_invalid', problemsText(path, problems), { hint: 'Correct the file; docs/relay.md lists every setting.', evidence: { path, problems } });
}

/** What may be called like that in addresses, labels, branches and on command lines. A sentence on what is wrong, or `undefined`. */
export function repoNameProblem(name: string): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return 'The name of a repository has letters, digits, dots, dashes and underscores, begins with a letter or digit, and has at most 100 of them.';
  return RESERVED_REPO_NAMES.includes(name) ? `A repository cannot be called ${name}.` : undefined;
}

function keysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(config.shape);
  return path.length === 2 && path[0] === 'repos' ? Object.keys(repo.shape) : [];
}

function refused(file: YamlFile): readonly YamlProblem[] {
  if (file.problems.length > 0) return [];
  const content = file.content();
  if (typeof content !== 'object' || content === null) return [];
  return Object.entries(ABSENT).flatMap(([key, why]) => (Object.hasOwn(content, key) ? [file.at([], `\`${key}\` is not a setting here. ${why}`, key)] : []));
}

function without(content: unknown, keys: object): unknown {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content;
  return Object.fromEntries(Object.entries(content).filter(([key]) => !Object.hasOwn(keys, key)));
}

function contradictions(file: YamlFile, { keepTerminalsAlive, keepSessionsAlive, repos }: RelayConfig): readonly YamlProblem[] {
  const problems: YamlProblem[] = [];
  if (keepTerminalsAlive && !keepSessionsAlive) {
    problems.push(file.at(['keepSessionsAlive'], 'A terminal that stays holds its session: with `keepSessionsAlive: false`, set `keepTerminalsAlive: false` as well.'));
  }
  const paths = new Map<string, string>();
  const names = new Map<string, string>();
  for (const [name, { path }] of Object.entries(repos)) {
    const odd = repoNameProblem(name);
    if (odd !== undefined) problems.push(file.at(['repos', name], odd));
    const twin = names.get(name.toLowerCase());
    if (twin !== undefined) problems.push(file.at(['repos', name], `The repositories ${twin} and ${name} differ only in upper and lower case.`));
    names.set(name.toLowerCase(), name);
    if (!isAbsolute(path)) problems.push(file.at(['repos', name, 'path'], `\`repos.${name}.path\` must be an absolute path.`));
    const real = normalize(`${path}/`);
    const other = paths.get(real);
    if (other !== undefined) problems.push(file.at(['repos', name, 'path'], `The repositories ${other} and ${name} have the same path.`));
    paths.set(real, name);
  }
  return problems;
}
