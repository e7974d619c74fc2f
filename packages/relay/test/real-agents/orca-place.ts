import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock, type Clock } from '@relayflows/sdk';
import { onTestFinished } from 'vitest';
import type { Harness } from '../../src/harness/port.js';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { agentPlace, type AgentPlace, type AgentPlaceOptions } from './agent-place.js';

const ORCA = fileURLToPath(new URL('../runner/orca/fake/orca.mjs', import.meta.url));

interface FakeTerminal {
  readonly handle: string;
  /** `<ticket>:<node>` */
  readonly title: string;
}

/** An agent in terminals of an Orca of which all but the command line is a fake; its terminals are real ones, of 140 columns and 50 rows. */
export class OrcaPlace {
  readonly place: AgentPlace;
  readonly #harness: Harness | undefined;
  #server: RunningServer | undefined;

  private constructor(place: AgentPlace, harness: Harness | undefined) {
    this.place = place;
    this.#harness = harness;
  }

  static async make(options: AgentPlaceOptions, harnessFor?: (place: AgentPlace) => Harness): Promise<OrcaPlace> {
    const place = await agentPlace({
      ...options,
      // Registered by the test, as a person does it.
      config: { runnerPlugin: 'orca', repos: {}, ...options.config },
      variables: { ORCA_CLI_COMMAND: ORCA, FAKE_ORCA_PTY: '1', ...options.variables },
    });
    const orcaHome = join(place.world.folder, 'orca');
    mkdirSync(orcaHome);
    const made = new OrcaPlace({ ...place, env: { ...place.env, FAKE_ORCA_HOME: orcaHome } }, harnessFor?.(place));
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') console.error(await made.#evidence());
      await made.stop();
      await made.fake('stop');
    });
    return made;
  }

  async serve(): Promise<void> {
    const { world, env } = this.place;
    this.#server = await startServer({
      home: world.home, env, version: '0.0.0', log: openServerLog({ path: world.home.serverLog, level: 'debug' }), clock: HASTY,
      ...(this.#harness === undefined ? {} : { adapters: { harness: this.#harness } }),
    });
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
  }

  async register(): Promise<void> {
    const { world } = this.place;
    await world.client.call('registerRepo', { body: { name: 'app', path: world.repo, taskConfig: { ticketsDir: world.tickets } } });
  }

  /** Speaks with the fake, past what Orca offers. */
  async fake(...args: readonly string[]): Promise<unknown> {
    return await this.#orca('fake', ...args);
  }

  async terminals(): Promise<readonly FakeTerminal[]> {
    return ((await this.fake('get')) as { readonly terminals: readonly FakeTerminal[] }).terminals;
  }

  /** The terminal of a node. */
  async terminalOf(title: string): Promise<string> {
    const found = (await this.terminals()).find((terminal) => terminal.title === title);
    if (found === undefined) throw new Error(`There is no terminal ${title}.`);
    return found.handle;
  }

  /** What stands on its screen; nothing while there is no such terminal. */
  async screen(title: string): Promise<string> {
    const found = (await this.terminals()).find((terminal) => terminal.title === title);
    if (found === undefined) return '';
    const { result } = (await this.#orca('terminal', 'read', '--terminal', found.handle, '--screen', '--json')) as { readonly result: { readonly terminal: { readonly text: string } } };
    return result.terminal.text;
  }

  /** Presses keys as a person does. */
  async press(title: string, keys: string): Promise<void> {
    await this.fake('press', await this.terminalOf(title), keys);
  }

  /** The agent of a terminal dies. */
  async kill(title: string): Promise<void> {
    process.kill(await this.agentOf(title), 'SIGKILL');
  }

  /** The id of the process of an agent. */
  async agentOf(title: string): Promise<number> {
    return (await this.fake('leader', await this.terminalOf(title))) as number;
  }

  /** A person closes a terminal. */
  async close(title: string): Promise<void> {
    await this.#orca('terminal', 'close', '--terminal', await this.terminalOf(title), '--json');
  }

  /** What was going on when a test failed. */
  async #evidence(): Promise<string> {
    const { world, prompts } = this.place;
    const screens = await Promise.all((await this.terminals()).map(async ({ title }) => `${title}\n${await this.screen(title)}`));
    const plugin = await readFile(join(world.home.root, 'plugin.log'), 'utf8').catch(() => '');
    return [JSON.stringify(await world.run('APP-1').catch(String), null, 1), world.log(), plugin, JSON.stringify(prompts(), null, 1), ...screens].join('\n\n');
  }

  async #orca(...args: readonly string[]): Promise<unknown> {
    const { stdout } = await promisify(execFile)(ORCA, [...args], { env: this.place.env, maxBuffer: 64 * 1024 * 1024 });
    return JSON.parse(stdout);
  }
}

const A_MINUTE = 60_000;

/** Looks at terminals every three seconds instead of every minute. */
const HASTY: Clock = { ...systemClock, setTimer: (delayMs, callback) => systemClock.setTimer(delayMs === A_MINUTE ? 3_000 : delayMs, callback) };
