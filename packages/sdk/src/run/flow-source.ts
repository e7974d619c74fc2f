import type { FlowHandle } from '@relayflows/surface';
import { getFlowDefinition, isFlowHandle } from '@relayflows/surface/runtime';
import { FlowsError } from '../errors/flows-error.js';
import type { LoadedFlow } from '../flow/loaded.js';
import { loadSealed } from '../flow/load.js';
import type { SealedFlow } from '../flow/sealed.js';
import { parseSealed, serializeSealed } from '../flow/stored.js';
import type { Journal, RunRecord, SourceRef, StoredSource } from '../journal/port.js';
import { isHostFlow } from './host-flow.js';
import type { RuntimeOptions } from './runtime.js';

/** A flow that can be executed, and how a run remembers it. */
export interface RunnableFlow {
  readonly flow: LoadedFlow;
  readonly ref: SourceRef;
  /** What the journal must keep; absent for a registered flow. */
  readonly stored?: StoredSource;
  /** The file it came from. */
  readonly path?: string;
  /** The source text of the flow and its children. */
  readonly code: readonly string[];
}

/** Where a runtime gets its flows from. */
export interface FlowFinder {
  /** The flow that a host asks to run. Throws `run_not_registered`, or what loading throws. */
  find(flow: SealedFlow | FlowHandle | string): Promise<RunnableFlow>;
  /** The flow that a run was recorded with. Throws `run_not_registered`, `source_mismatch`, `dependency_changed`. */
  ofRun(run: RunRecord, journal: Journal): Promise<RunnableFlow>;
}

/** Finds the flows of one runtime: sealed ones by their source, registered ones by name. Loads each source once. */
export class FlowSources implements FlowFinder {
  readonly #moduleDir: string;
  readonly #registered: NonNullable<RuntimeOptions['flows']>;
  readonly #loaded = new Map<string, Promise<RunnableFlow>>();

  constructor(options: { readonly moduleDir: string; readonly registered: RuntimeOptions['flows'] }) {
    this.#moduleDir = options.moduleDir;
    this.#registered = options.registered ?? {};
  }

  async find(flow: SealedFlow | FlowHandle | string): Promise<RunnableFlow> {
    if (typeof flow === 'string') return this.#registeredFlow(flow, undefined);
    if (isFlowHandle(flow)) {
      const name = Object.keys(this.#registered).find((key) => this.#registered[key]?.flow === flow);
      if (name === undefined) {
        throw new FlowsError('run_not_registered', `Flow ${flow.name} was passed as a handle but is not registered.`, {
          hint: 'Register it: createRuntime({ flows: { name: { version, flow } } }), so that its runs can be resumed; or pass sealFlow(path).',
        });
      }
      return this.#registeredFlow(name, undefined);
    }
    return this.#sealed(serializeSealed(flow), flow);
  }

  async ofRun(run: RunRecord, journal: Journal): Promise<RunnableFlow> {
    if (run.source.kind === 'registered') return this.#registeredFlow(run.source.name, run.source.version);
    const stored = await journal.source({ digest: run.source.digest });
    if (stored === undefined) {
      throw new FlowsError('source_mismatch', `The source of run ${run.id} is not in the journal.`, { hint: 'Start a new run.', runId: run.id, evidence: { digest: run.source.digest } });
    }
    return this.#sealed(stored, undefined);
  }

  #sealed(stored: StoredSource, sealed: SealedFlow | undefined): Promise<RunnableFlow> {
    let loading = this.#loaded.get(stored.digest);
    if (loading === undefined) {
      loading = this.#load(stored, sealed);
      this.#loaded.set(stored.digest, loading);
      loading.catch(() => this.#loaded.delete(stored.digest));
    }
    return loading;
  }

  async #load(stored: StoredSource, given: SealedFlow | undefined): Promise<RunnableFlow> {
    const sealed = given ?? parseSealed(stored);
    const flow = await loadSealed(sealed, { moduleDir: this.#moduleDir });
    return { flow, ref: { kind: 'sealed', digest: stored.digest, path: sealed.path }, stored, path: sealed.path, code: [sealed.root, ...sealed.children].map(({ code }) => code) };
  }

  #registeredFlow(name: string, version: string | undefined): RunnableFlow {
    const entry = Object.hasOwn(this.#registered, name) ? this.#registered[name] : undefined;
    if (entry === undefined || (version !== undefined && entry.version !== version)) {
      const wanted = version === undefined ? JSON.stringify(name) : `${JSON.stringify(name)} version ${version}`;
      throw new FlowsError('run_not_registered', `This runtime has no flow ${wanted}.`, {
        hint: entry === undefined ? 'Register it in createRuntime({ flows }).' : `It has version ${entry.version}; keep the old version registered until its runs have ended.`,
        evidence: { registered: Object.entries(this.#registered).map(([key, value]) => `${key}@${value.version}`) },
      });
    }
    const children = new Map((entry.children ?? []).map((child) => [child.name, loadedHandle(child)]));
    const host = isHostFlow(entry.flow) ? { host: true as const } : {};
    return { flow: { ...loadedHandle(entry.flow), ...host, children }, ref: { kind: 'registered', name, version: entry.version }, code: [entry.flow, ...(entry.children ?? [])].map((handle) => String(getFlowDefinition(handle).body)) };
  }
}

export function loadedHandle(handle: FlowHandle): LoadedFlow {
  const definition = getFlowDefinition(handle);
  return { name: definition.name, definition, children: new Map() };
}
