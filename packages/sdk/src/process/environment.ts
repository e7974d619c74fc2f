import { isSecretName } from '../redaction/secret-names.js';
import { SCOPE_VARIABLE } from './marker.js';
import { withoutNpmPath } from './npm-path.js';

export interface StepEnvironmentRequest {
  /** The environment of the process that started the run. A frozen object is filtered once and remembered. */
  readonly host: Readonly<Record<string, string | undefined>>;
  /** `scrub` takes out secrets and git configuration as well. */
  readonly secrets: 'inherit' | 'scrub';
  /** Names that `scrub` leaves in. */
  readonly keep?: readonly string[] | undefined;
  /** What the step names itself: wins over the host, is never filtered. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** `RELAYFLOW_*` variables of this run that the caller knows; they win over everything. The marker is added when the process starts. */
  readonly runVariables: Readonly<Record<string, string>>;
}

type Variables = Readonly<Record<string, string>>;

/** What `git rev-parse --local-env-vars` names, without the configuration, and what git tells its hooks about their own call. */
const GIT_LOCAL = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_COMMON_DIR', 'GIT_DIR', 'GIT_GRAFT_FILE', 'GIT_IMPLICIT_WORK_TREE', 'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX', 'GIT_NAMESPACE', 'GIT_NO_REPLACE_OBJECTS', 'GIT_OBJECT_DIRECTORY', 'GIT_PREFIX', 'GIT_QUARANTINE_PATH',
  'GIT_REPLACE_REF_BASE', 'GIT_SHALLOW_FILE', 'GIT_WORK_TREE',
]);

/** What a package manager says about the one call that started us. Its settings (`npm_config_registry` and the like) are not in here. */
const LAUNCHER = new Set([
  'INIT_CWD', 'PNPM_SCRIPT_SRC_DIR', 'npm_command', 'npm_execpath', 'npm_node_execpath',
  'npm_config_call', 'npm_config_global_prefix', 'npm_config_local_prefix', 'npm_config_node_gyp', 'npm_config_npm_version',
  'npm_config_package', 'npm_config_user_agent',
]);

/** Settings that a person may have made, but that npm also exports from its command line: dropped only where npm started us. */
const LAUNCHER_OPTIONS = new Set([
  'COLOR', 'npm_config_if_present', 'npm_config_include_workspace_root', 'npm_config_loglevel', 'npm_config_prefix',
  'npm_config_workspace', 'npm_config_workspaces', 'npm_config_yes',
]);

/** The shell that started us describes itself in these. */
const SHELL_STATE = new Set(['OLDPWD', 'PWD', 'SHLVL', '_']);

/** Where change requests are opened and by which Node, which is the same for every step of every run. */
const SETTINGS = new Set(['RELAYFLOW_FORGE_DIR', 'RELAYFLOW_NODE']);

/** Test switches of this runtime, and the Node that the reference implementation runs bodies with. */
const OWN = new Set(['FLOWS_AUTHORED_NODE', 'RELAYFLOWS_FAULT']);

/**
 * The environment a step's processes get: what they inherit from the process that started the run, then what the step names, then the run variables.
 *
 * What is inherited is decided so that a command behaves the same however the run was started: from a terminal, by `npx`, in a git hook, or
 * by a step of another flow. `docs/processes.md` lists it.
 */
export function stepEnvironment(request: StepEnvironmentRequest): Record<string, string> {
  return { ...inherited(request.host, request.secrets), ...keptByName(request), ...request.env, ...request.runVariables };
}

/**
 * An environment in whose steps the programs of a folder are found first, unless a step names a PATH itself. What a package manager put there is taken
 * out here, since behind the folder it would look like what a person wrote. Where there is no PATH the system has one of its own, and nothing is changed.
 */
export function withProgramsInFront(host: StepEnvironmentRequest['host'], folder: string): StepEnvironmentRequest['host'] {
  if (host['PATH'] === undefined || host['PATH'] === '') return host;
  const path = byPackageManager(host) ? withoutNpmPath(host['PATH']) : host['PATH'];
  const rest = path.split(':').filter((entry) => entry !== folder).join(':');
  return { ...host, PATH: rest === '' ? folder : `${folder}:${rest}` };
}

function keptByName({ host, keep = [] }: StepEnvironmentRequest): Variables {
  return Object.fromEntries(keep.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]]])));
}

const remembered = new WeakMap<object, Partial<Record<'inherit' | 'scrub', Variables>>>();

function inherited(host: StepEnvironmentRequest['host'], secrets: 'inherit' | 'scrub'): Variables {
  if (!Object.isFrozen(host)) return filtered(host, secrets);
  const known = remembered.get(host) ?? {};
  remembered.set(host, known);
  return (known[secrets] ??= filtered(host, secrets));
}

function filtered(host: StepEnvironmentRequest['host'], secrets: 'inherit' | 'scrub'): Variables {
  const byNpm = byPackageManager(host);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined || describesTheStart(name) || (byNpm && describesNpm(name, value, host))) continue;
    if (secrets === 'scrub' && (name === 'GIT_CONFIG' || name.startsWith('GIT_CONFIG_') || isSecretName(name, value))) continue;
    kept[name] = byNpm && name === 'PATH' ? withoutNpmPath(value) : value;
  }
  return kept;
}

function byPackageManager(host: StepEnvironmentRequest['host']): boolean {
  return host['npm_execpath'] !== undefined || host['npm_lifecycle_event'] !== undefined || host['npm_command'] !== undefined;
}

function describesTheStart(name: string): boolean {
  if (name.startsWith('RELAYFLOW_')) return name !== SCOPE_VARIABLE && !SETTINGS.has(name);
  if (name.startsWith('npm_')) return LAUNCHER.has(name) || name.startsWith('npm_lifecycle_') || name.startsWith('npm_package_');
  return OWN.has(name) || GIT_LOCAL.has(name) || LAUNCHER.has(name) || SHELL_STATE.has(name);
}

function describesNpm(name: string, value: string, host: StepEnvironmentRequest['host']): boolean {
  return LAUNCHER_OPTIONS.has(name) || (name === 'NODE' && value === host['npm_node_execpath']);
}
