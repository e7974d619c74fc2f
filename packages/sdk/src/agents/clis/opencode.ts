import { isFlowsError } from '../../errors/flows-error.js';
import { driveCli, type CliCall } from '../driver/drive.js';
import type { CliWords } from '../driver/words.js';
import type { AgentAdapter, AgentOutcome, AgentRequest, AgentTurn } from '../port.js';
import { callOf } from './opencode/call.js';
import { placeOfSession, tokensOfSessions } from './opencode/database.js';
import { probeOpencode } from './opencode/probe.js';
import { OpencodeReader } from './opencode/reader.js';

/*
 * opencode, observed with 1.18.33.
 *
 * The prompt comes on standard input: a prompt argument with blanks gets quotation marks around it. A session belongs to the directory it began in.
 * Continued from another one, opencode works there, in the old directory, writes no record and never ends; so it is asked first where the session began.
 * It may ignore TERM while a tool runs, and it leaves a running command alive, in a process group of its own; KILL and the sweep see to both.
 */

const words: CliWords = {
  cli: 'opencode',
  install: 'npm install -g opencode-ai',
  update: 'opencode upgrade',
  signIn: 'run opencode auth login, or name a provider in opencode.json',
  models: 'run opencode models',
};

export const opencodeAdapter: AgentAdapter = {
  name: 'opencode',
  install: words.install,
  abilities: { resume: 'same_directory', choosesSessionId: false, enforces: ['accessPreset'] },
  matches: (name) => name === 'opencode',
  probe: async (request) => await probeOpencode(request, words),
  execute,
};

async function execute(request: AgentRequest): Promise<AgentTurn> {
  let call: CliCall;
  try {
    call = callOf(request);
  } catch (error) {
    if (!isFlowsError(error)) throw error;
    return { outcome: { class: 'failed', code: 'worker_error', text: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }, warnings: [] };
  }
  const refused = await refusedSession(request);
  if (refused !== undefined) return { outcome: refused, warnings: [] };
  const reader = new OpencodeReader({
    cwd: request.cwd,
    keepsSession: request.mode === 'agent',
    resumed: request.session?.kind === 'resume' ? request.session.id : undefined,
    now: request.now,
    tokensOf: async (sessions) => await tokensOfSessions(request, sessions),
  });
  return await driveCli({ request, words, call, reader });
}

/** Why a session cannot be continued here; `undefined` when it can, or when there is none to continue. */
async function refusedSession(request: AgentRequest): Promise<AgentOutcome | undefined> {
  const { session, cwd } = request;
  if (session?.kind !== 'resume') return undefined;
  const place = await placeOfSession(request, session.id);
  if (place.known === 'no program' || (place.known === true && place.directory === cwd)) return undefined;
  if (place.known === 'unclear' && place.canceled) return { class: 'canceled' };
  const why =
    place.known === true ? `began in ${place.directory}, and opencode continues a session only there`
    : place.known === false ? 'is not known to opencode'
    : 'cannot be looked up: opencode db failed';
  return {
    class: 'failed', code: 'worker_error', sessionUnknown: true,
    text: `The session ${session.id} ${why}.`,
    hint: 'Leave resume out, or pass the sessionId of a session that began in this directory.',
    ...(place.known === 'unclear' && place.evidence !== undefined ? { evidence: place.evidence } : {}),
  };
}
