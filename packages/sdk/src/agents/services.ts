import { stepEnvironment } from '../process/environment.js';
import { guarded } from '../process/host-guard.js';
import { superviseProcess } from '../process/supervise.js';
import { randomIds, type Ids } from '../ports/ids.js';
import type { Redactor } from '../ports/redactor.js';
import { cliAdapters } from './clis/index.js';
import { ContentCache } from './directory/content-cache.js';
import { checkAgentCapacity, DEFAULT_AGENT_CAPACITY, Slots } from './capacity.js';
import type { PriceOf } from './charge.js';
import { listPriceOf } from './prices.js';
import { realDisk, type AgentDisk } from './disk.js';
import type { AgentAdapter, AgentIdentity, ProbeDeadlines, Supervise } from './port.js';
import { ProbeCache } from './probe-cache.js';
import { adapterFor, chooseAgent, requireAllowedModel, type ChoiceInput } from './resolve.js';
import { wrapperAdapter } from './wrapper/adapter.js';

export interface AgentServicesOptions {
  readonly redact: Redactor;
  /** Tried in order, before the built-in ones. */
  readonly adapters?: readonly AgentAdapter[];
  /** Agents at once, 1 to 32; model calls are counted apart with the same limit. Default 4. */
  readonly capacity?: number;
  /** What a model costs. Default {@link listPriceOf}. */
  readonly priceOf?: PriceOf;
  /** How processes are started. Default {@link superviseProcess}, each with a guard that stops it when this process dies. */
  readonly supervise?: Supervise;
  /** Default {@link realDisk}. */
  readonly disk?: AgentDisk;
  readonly ids?: Ids;
  readonly deadlines?: ProbeDeadlines;
  /** How long a CLI may go on after its final result, in milliseconds. Default 30,000. */
  readonly outcomeGraceMs?: number;
}

/** What agents and model calls of one runtime share. */
export interface AgentServices {
  readonly agentSlots: Slots;
  readonly llmSlots: Slots;
  readonly priceOf: PriceOf;
  readonly supervise: Supervise;
  readonly disk: AgentDisk;
  readonly ids: Ids;
  readonly redact: Redactor;
  readonly contents: ContentCache;
  readonly outcomeGraceMs: number | undefined;
  /** True the first time it is asked about a key for a `run` object. */
  firstTime(run: ProbePlace, key: string): boolean;
  /** The CLIs that are driven as they are, by name. */
  readonly known: readonly string[];
  /** The adapter of a CLI, and where its executable is. Throws `cli_unsupported`, `cli_missing`. */
  find(cli: string, run: ProbePlace): { readonly adapter: AgentAdapter; readonly executable: string };
  /**
   * Decides on CLI and model, finds the executable and asks it about itself, once per executable and model for each `run` object.
   * Throws `cli_unresolved`, `cli_unsupported`, `cli_missing`, `model_unknown`, `model_unavailable`,
   * what the adapter's probe throws, and `canceled` when the signal aborts.
   */
  resolve(request: ResolveRequest): Promise<ResolvedAgent>;
}

/** Where a probe happens. The object itself is the scope within which nothing is asked twice. */
export interface ProbePlace {
  /** Absolute path; relative CLIs are taken from here. */
  readonly cwd: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Marks the probe's processes; absent before a run exists. */
  readonly runId?: string;
}

export interface ResolveRequest extends ChoiceInput {
  readonly run: ProbePlace;
  readonly signal?: AbortSignal;
  /** Leaves the allow list alone, when the steps that use the CLI name their model themselves. */
  readonly anyModel?: boolean;
}

export interface ResolvedAgent {
  readonly adapter: AgentAdapter;
  readonly identity: AgentIdentity;
  readonly cli: string;
  readonly cliFrom: string;
  readonly model?: string;
}

export function createAgentServices(options: AgentServicesOptions): AgentServices {
  const capacity = checkAgentCapacity(options.capacity ?? DEFAULT_AGENT_CAPACITY);
  const adapters = [...(options.adapters ?? []), ...cliAdapters, wrapperAdapter];
  const supervise = options.supervise ?? guarded(superviseProcess);
  const disk = options.disk ?? realDisk;
  const ids = options.ids ?? randomIds;
  const told = new WeakMap<ProbePlace, Set<string>>();
  const probes = new WeakMap<ProbePlace, ProbeCache<AgentIdentity>>();

  const find: AgentServices['find'] = (cli, run) => {
    const adapter = adapterFor(cli, adapters);
    // The PATH that steps get: a run begun by `npx` and resumed from a terminal finds the same CLI.
    const env = stepEnvironment({ host: run.hostEnv, secrets: 'inherit', runVariables: {} });
    return { adapter, executable: disk.findExecutable({ cli, cwd: run.cwd, env, install: adapter.install }) };
  };

  return {
    known: adapters.filter((adapter) => adapter !== wrapperAdapter).map(({ name }) => name),
    find,
    agentSlots: new Slots(capacity),
    llmSlots: new Slots(capacity),
    priceOf: options.priceOf ?? listPriceOf,
    supervise,
    disk,
    ids,
    redact: options.redact,
    contents: new ContentCache(),
    outcomeGraceMs: options.outcomeGraceMs,
    firstTime(run, key) {
      let keys = told.get(run);
      if (keys === undefined) told.set(run, (keys = new Set()));
      if (keys.has(key)) return false;
      keys.add(key);
      return true;
    },
    async resolve(request) {
      const { run } = request;
      const choice = chooseAgent(request);
      const { adapter, executable } = find(choice.cli, run);
      const model = choice.model ?? adapter.abilities.defaultModel;
      if (request.anyModel !== true) requireAllowedModel({ model, cli: choice.cli, config: request.config });
      let cache = probes.get(run);
      if (cache === undefined) probes.set(run, (cache = new ProbeCache()));
      const identity = await cache.get(`${executable}\0${model ?? ''}`, (signal) => adapter.probe({
        executable,
        ...(model === undefined ? {} : { model }),
        cwd: run.cwd,
        hostEnv: run.hostEnv,
        // Of its own, so that no step's sweep stops a probe that others wait for.
        marker: { runId: run.runId ?? `preflight-${ids.uuid()}`, stepId: `probe-${ids.uuid()}`, attempt: 1 },
        supervise,
        redaction: () => options.redact.stream(),
        signal,
        ...(options.deadlines === undefined ? {} : { deadlines: options.deadlines }),
      }), request.signal);
      return { adapter, identity, cli: choice.cli, cliFrom: choice.cliFrom, ...(model === undefined ? {} : { model }) };
    },
  };
}
