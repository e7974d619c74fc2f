import type { JsonValue } from '../../../ports/json.js';
import { stepEnvironment } from '../../../process/environment.js';
import type { ProcessOutcome } from '../../../process/port.js';
import { recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import { outcomeEvidence } from '../../outcome-evidence.js';
import type { AgentFailure, AgentRequest } from '../../port.js';
import { ENVIRONMENT } from './environment.js';
import { addTokens, noTokens, tokensOfRow, type Tokens } from './tokens.js';

/*
 * opencode keeps its sessions in one SQLite database, usually `~/.local/share/opencode/opencode.db`. It is asked through `opencode db`, which knows where
 * the database is and brings it up to date, and starts no session.
 */

/** As opencode makes them. Nothing else is put into a query. */
const SESSION_ID = /^ses_[0-9A-Za-z]+$/;
const DEADLINE_MS = 30_000;

export type SessionPlace =
  | { readonly known: true; readonly directory: string }
  | { readonly known: false }
  /** opencode could not be started: its turn will tell why. */
  | { readonly known: 'no program' }
  /** The database cannot be asked. */
  | { readonly known: 'unclear'; readonly evidence: AgentFailure['evidence']; readonly canceled: boolean };

/** Where a session began. */
export async function placeOfSession(request: AgentRequest, sessionId: string): Promise<SessionPlace> {
  if (!SESSION_ID.test(sessionId)) return { known: false };
  const { rows, args, outcome } = await query(request, `select directory from session where id = '${sessionId}'`, request.signal);
  if (outcome.spawnError !== undefined) return { known: 'no program' };
  if (rows === undefined) {
    const canceled = outcome.stopped === 'canceled' || outcome.stopped === 'host_exit';
    return { known: 'unclear', canceled, evidence: outcomeEvidence({ executable: request.identity.executable, cwd: request.cwd }, args, outcome) };
  }
  const directory = textOf(rows[0]?.['directory']);
  return directory === undefined ? { known: false } : { known: true, directory };
}

/** What sessions used altogether; `undefined` when that cannot be found out. Also after the turn was stopped. */
export async function tokensOfSessions(request: AgentRequest, sessionIds: readonly string[]): Promise<Tokens | undefined> {
  const ids = sessionIds.filter((id) => SESSION_ID.test(id)).map((id) => `'${id}'`).join(', ');
  const columns = 'cost, tokens_input, tokens_output, tokens_reasoning, tokens_cache_read, tokens_cache_write';
  const { rows } = await query(request, `select ${columns} from session where id in (${ids})`, undefined);
  return rows?.map(tokensOfRow).reduce(addTokens, noTokens);
}

interface Answer {
  readonly rows: readonly JsonRecord[] | undefined;
  readonly args: readonly string[];
  readonly outcome: ProcessOutcome;
}

async function query(request: AgentRequest, sql: string, signal: AbortSignal | undefined): Promise<Answer> {
  const args = ['db', sql, '--format', 'json'];
  const lines: string[] = [];
  const outcome = await request.supervise({
    file: request.identity.executable,
    args,
    cwd: request.cwd,
    env: stepEnvironment({ host: request.hostEnv, secrets: 'inherit', env: ENVIRONMENT, runVariables: request.runEnv }),
    marker: { ...request.marker, stepId: `${request.marker.stepId}-db` },
    timeoutMs: DEADLINE_MS,
    graceMs: 1_000,
    sweep: 'environment',
    // Paths are compared as they are: redacted ones would not do.
    stdout: { redaction: request.redaction(), onRawLine: (line) => lines.push(line) },
    stderr: { redaction: request.redaction() },
    ...(signal === undefined ? {} : { signal }),
  }).outcome;
  return { rows: outcome.exitCode === 0 ? rowsOf(lines.join('\n')) : undefined, args, outcome };
}

function rowsOf(text: string): readonly JsonRecord[] | undefined {
  try {
    const rows = JSON.parse(text) as JsonValue;
    return Array.isArray(rows) ? rows.map((row) => recordOf(row as JsonValue)) : undefined;
  } catch {
    return undefined;
  }
}
