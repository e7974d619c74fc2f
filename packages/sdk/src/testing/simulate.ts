import type { FlowHandle } from '@relayflows/surface';
import { isFlowHandle } from '@relayflows/surface/runtime';
import { dirname } from 'node:path';
import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import { findConfig, type FlowsConfig } from '../flow/config.js';
import { withFlowConsole } from '../flow/flow-console.js';
import { loadSealed } from '../flow/load.js';
import type { LoadedFlow } from '../flow/loaded.js';
import type { SealedFlow } from '../flow/sealed.js';
import { createMemoryJournal } from '../journal/memory.js';
import type { Ids } from '../ports/ids.js';
import { createRuntimeOn } from '../run/create-runtime.js';
import type { RunEvent } from '../run/events.js';
import { loadedHandle, type RunnableFlow } from '../run/flow-source.js';
import type { RunReport } from '../run/report.js';
import type { HookImplementation, Runtime, RuntimeOptions } from '../run/runtime.js';
import { outside, withEars, type Ears } from './ears.js';
import { Life, type Tally } from './life.js';
import { simulatedAgents } from './simulated-agents.js';
import { SimulatedClock } from './simulated-clock.js';
import { SimulatedFiles } from './simulated-files.js';
import { simulatedShell } from './simulated-shell.js';
import type { SimulatedVerdict, SimulateOptions, Simulation } from './simulation.js';
import { Stage } from './stage.js';

const RUN_ID = 'simulation';
const DEFAULT_START = Date.UTC(2030, 0, 1);

/**
 * Runs a flow to its rest with the real executor and nothing else that is real: commands, agents, models and people are scripts, time is simulated, and
 * no file is touched. A question that gets an answer is answered and the run resumed; `'never'` leaves it parked.
 *
 * `flow` is what `flow()` returned, what `sealFlow` or what `loadSealed` gave. The top level of its module runs once, however often it is simulated.
 *
 * Rejects with `simulation_invalid` when a script is missing, throws, or answers with what cannot be; the message names the call. Rejects as `createRuntime`
 * does when the run is refused, and with `replay_mismatch` when the flow does not repeat itself after a crash or an answer.
 */
export async function simulate(flow: FlowHandle | LoadedFlow | SealedFlow, options: SimulateOptions = {}): Promise<Simulation> {
  const { runnable, config } = await subject(flow, options);
  const { crashAfter } = options;
  if (crashAfter !== undefined && crashAfter !== 'each' && (!Number.isSafeInteger(crashAfter) || crashAfter < 1)) {
    throw new FlowsError('simulation_invalid', `crashAfter is ${crashAfter}.`, { hint: "Give the number of outcomes, from 1, or 'each'." });
  }
  const printed: string[] = [];
  return await withFlowConsole((text) => printed.push(text), () => withEars(async (ears) => {
    const performance = new Performance({ runnable, config, options, ears });
    return { ...(await performance.run()), printed: printed.join('') };
  }));
}

async function subject(flow: FlowHandle | LoadedFlow | SealedFlow, { config, children = [] }: SimulateOptions): Promise<{ readonly runnable: RunnableFlow; readonly config: FlowsConfig | undefined }> {
  const sealed = !isFlowHandle(flow) && 'kind' in flow ? flow : undefined;
  const loaded = sealed !== undefined ? await loadSealed(sealed) : isFlowHandle(flow) ? { ...loadedHandle(flow), children: new Map(children.map((child) => [child.name, loadedHandle(child)])) } : (flow as LoadedFlow);
  return {
    runnable: { flow: loaded, ref: { kind: 'registered', name: loaded.name, version: 'simulated' }, code: codeOf(loaded) },
    config: config ?? (sealed === undefined ? { cli: 'claude' } : findConfig(dirname(sealed.path))?.config),
  };
}

function codeOf({ definition, children }: LoadedFlow): string[] {
  return [String(definition.body), ...[...children.values()].flatMap(codeOf)];
}

/** One simulated run, through all of its processes. */
class Performance {
  readonly #runnable: RunnableFlow;
  readonly #config: FlowsConfig | undefined;
  readonly #options: SimulateOptions;
  readonly #ears: Ears;
  readonly #clock: SimulatedClock;
  readonly #stage: Stage;
  readonly #files = new SimulatedFiles();
  readonly #journal = createMemoryJournal();
  readonly #tally: Tally = { outcomes: 0, crashes: 0 };
  readonly #labels = new Map<string, string>();
  readonly #phases: { name: string; at: number }[] = [];
  readonly #warnings: { code: string; text: string; stepId?: string }[] = [];
  readonly #ids: Ids = sequence();
  readonly #agents;
  #runtime: Runtime | undefined;

  constructor({ runnable, config, options, ears }: { readonly runnable: RunnableFlow; readonly config: FlowsConfig | undefined; readonly options: SimulateOptions; readonly ears: Ears }) {
    this.#runnable = runnable;
    this.#config = config;
    this.#options = options;
    this.#ears = ears;
    this.#clock = new SimulatedClock(options.clock === undefined ? DEFAULT_START : Number(options.clock));
    this.#stage = new Stage({ script: options, clock: this.#clock });
    this.#agents = simulatedAgents({ stage: this.#stage, files: this.#files, nameOf: (stepId) => this.#labels.get(stepId) ?? '' });
  }

  async run(): Promise<Omit<Simulation, 'printed'>> {
    try {
      let report = await this.#process('run');
      // A process that died leaves a run to its successor.
      while (report === undefined) report = await this.#process('resume');
      this.#refuseVainCrash();
      const { calls, now } = this.#stage;
      return { calls: [...calls], phases: this.#phases, verdict: verdictOf(report), spend: report.spend, warnings: this.#warnings, elapsed: now, crashes: this.#tally.crashes, report };
    } finally {
      this.#clock.stop();
    }
  }

  /** One process, from its start to the rest of the run. `undefined` when it died. */
  async #process(begin: 'run' | 'resume'): Promise<RunReport | undefined> {
    const life = new Life({ journal: this.#journal, clock: this.#clock, crashAfter: this.#options.crashAfter, tally: this.#tally, onLost: () => this.#stage.lost() });
    const runtime = this.#createRuntime(life);
    this.#stage.life = life;
    this.#runtime = runtime;
    try {
      for (let how = begin; ; how = 'resume') {
        life.handle = how === 'run' ? runtime.run('simulated', { input: this.#options.input, cwd: this.#files.root }) : runtime.resume(RUN_ID);
        const report = await this.#clock.during(life.handle.created).then(() => life.handle?.result);
        this.#stage.assertFine();
        if (report?.status !== 'parked' || !this.#stage.answerComes) return report;
        await this.#stage.nextAnswer();
        this.#stage.assertFine();
      }
    } catch (error) {
      this.#stage.assertFine();
      if (life.crashed && isFlowsError(error) && error.code === 'stale_owner') return undefined;
      throw error;
    } finally {
      await runtime.close();
    }
  }

  #createRuntime(life: Life): Runtime {
    const { env = {}, agentCapacity, hooks } = this.#options;
    const find = async (): Promise<RunnableFlow> => this.#runnable;
    return createRuntimeOn({
      sources: { find, ofRun: find },
      machine: {
        turn: this.#clock.turn,
        pulse: life.pulse,
        listen: this.#ears.listen,
        runDirectory: async (path) => path,
        config: () => this.#config,
        stepDirectory: this.#files.stepDirectory,
        artifactProblem: this.#files.artifactProblem,
        sweep: async () => undefined,
        agents: this.#files.agentDisk,
      },
    }, {
      dataDir: `${this.#files.root}/.relayflowd`,
      journal: life.journal(),
      shell: simulatedShell(this.#stage, this.#files),
      agents: this.#agents,
      clock: this.#clock,
      ids: this.#ids,
      env,
      // What a body leaves unhandled, and a body that waits for nothing, are the run's: as under `flows run`.
      ownsProcess: true,
      onEvent: (event) => this.#note(event),
      ...(agentCapacity === undefined ? {} : { agentCapacity }),
      ...(hooks === undefined ? {} : { hooks: this.#held(hooks) }),
    });
  }

  /** No time passes while a hook is asked. */
  #held(hooks: NonNullable<RuntimeOptions['hooks']>): NonNullable<RuntimeOptions['hooks']> {
    return Object.fromEntries(Object.entries(hooks).map(([name, given]) => {
      const all: readonly HookImplementation[] = typeof given === 'function' ? [given] : given;
      return [name, all.map((hook): HookImplementation => async (input) => await this.#clock.during(Promise.resolve(outside(() => hook(input)))))];
    }));
  }

  #note(event: RunEvent): void {
    if (event.type === 'step.started' && event.label !== undefined) this.#labels.set(event.stepId, event.label);
    if (event.type === 'phase') this.#phases.push({ name: event.name, at: this.#stage.now });
    if (event.type === 'warning' && !this.#warnings.some(({ code, text }) => code === event.code && text === event.text)) {
      const { code, text, stepId } = event;
      this.#warnings.push({ code, text, ...(stepId === undefined ? {} : { stepId }) });
    }
    if (event.type === 'wait.opened' && event.wait === 'human') {
      const { stepId: id, question = '', to = '' } = event;
      this.#stage.question({ id, question, to }, async ({ answer, note }) => {
        try {
          await this.#runtime?.answer({ runId: RUN_ID, waitId: id, answer, answeredBy: to, ...(note === undefined ? {} : { note }) });
        } catch (error) {
          // The run went on without it.
          if (!isFlowsError(error) || (error.code !== 'human_wait_unknown' && error.code !== 'run_finished')) throw error;
        }
      });
    }
  }

  #refuseVainCrash(): void {
    const { crashAfter } = this.#options;
    if (crashAfter === undefined || this.#tally.crashes > 0) return;
    throw new FlowsError('simulation_invalid', `The run came to rest after ${this.#tally.outcomes} outcomes, so the crash that was asked for never happened.`, { hint: 'Let it crash earlier: a smaller crashAfter.' });
  }
}

function verdictOf({ status, completionReason, completionDetail, diagnostics }: RunReport): SimulatedVerdict {
  const cause = diagnostics.find(({ severity }) => severity === 'error');
  return {
    status,
    ...(completionReason === undefined ? {} : { completionReason }),
    ...(completionDetail === undefined ? {} : { detail: completionDetail }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** The same identifiers in every simulation. */
function sequence(): Ids {
  let last = 0;
  return {
    runId: () => RUN_ID,
    uuid: () => `00000000-0000-4000-8000-${String((last += 1)).padStart(12, '0')}`,
  };
}
