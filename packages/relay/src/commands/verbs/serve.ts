import { isAbsolute } from 'node:path';
import { RelayError } from '../../errors/relay-error.js';
import type { Home } from '../../host/home.js';
import { homeExists, prepareHome } from '../../host/prepare-home.js';
import { logLevelOf, openServerLog, type LogLine } from '../../host/server-log.js';
import { recordStartupFailure } from '../../host/startup-record.js';
import type { CommandContext, Shown } from '../command.js';
import { startInBackground } from '../serve/background.js';
import { serverLine } from '../serve/server-line.js';
import { untilAsked } from '../serve/stop-signals.js';
import { jsonLine } from '../text/clean.js';
import { paintFor } from '../text/paint.js';
import { count } from '../text/amounts.js';

export async function execute(context: CommandContext): Promise<Shown | number> {
  const { invocation: { switches }, io } = context;
  const home = context.home();
  requireHome(home);
  if (!switches.has('background')) return serve(context, home);
  const { pid } = await startInBackground({ home, env: io.env, flags: ['recover', 'debug'].filter((flag) => switches.has(flag)) });
  return { data: { pid, home: home.root }, lines: [`The server runs (process ${pid}).`], notes: ['See what it does in server.log of its home, and stop it with `relay-flow stop`.'] };
}

function requireHome(home: Home): void {
  if (homeExists(home)) return;
  throw new RelayError('database_missing', `There is no home at ${home.root}.`, { hint: 'Make one with `relay-flow init`.', evidence: { path: home.root } });
}

/** This very command: a terminal may find another version on its PATH, or none. */
function ownCommand(): { readonly command?: string } {
  const [, command] = process.argv;
  return command === undefined || !isAbsolute(command) ? {} : { command };
}

async function serve({ invocation: { switches }, io, version, asJson }: CommandContext, home: Home): Promise<number> {
  prepareHome(home);
  // Whatever folder it was started in may be removed while it runs, and its children would break.
  process.chdir(home.root);
  const debug = switches.has('debug');
  const paint = paintFor({ isTerminal: io.err.isTerminal, env: io.env, noColor: switches.has('no-color') });
  let failed = false;
  const mirror = (line: LogLine): void => {
    // Why it could not start is printed as the failure of the command.
    if (!failed) io.err.write(`${asJson ? jsonLine(line) : serverLine(line, paint)}\n`);
  };
  const log = openServerLog({ path: home.serverLog, level: logLevelOf(io.env, debug), mirror });
  const signals = untilAsked();
  try {
    const { startServer } = await import('../../server/start.js');
    const server = await startServer({ home, env: io.env, version, log, recover: switches.has('recover'), ...ownCommand() });
    if (server.recovered !== undefined) io.err.write(`${count(server.recovered.recovered, 'run')} began anew, ${server.recovered.failed} could not.${server.recovered.laidAside === undefined ? '' : ` The old database is ${server.recovered.laidAside}.`}\n`);
    void signals.asked.then(() => server.stop());
    await server.stopped;
    return 0;
  } catch (error) {
    failed = true;
    recordStartupFailure(log, error);
    throw error;
  } finally {
    signals.end();
    log.close();
  }
}
