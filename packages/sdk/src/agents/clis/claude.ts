import type { JsonValue } from '../../ports/json.js';
import type { AgentEvent } from '../../run/events.js';
import { driveCli, type CliCall } from '../driver/drive.js';
import { ask, notSignedIn, requireVersion } from '../driver/probe.js';
import { countOf, listOf, parseRecord, recordOf, textOf, type JsonRecord } from '../driver/record.js';
import type { CliResult, FailureKind, TurnReader, TurnRecord } from '../driver/turn-record.js';
import type { CliWords } from '../driver/words.js';
import type { AgentAdapter, AgentIdentity, AgentRequest, AgentUsage, ProbeRequest } from '../port.js';

/*
 * Claude Code, observed with 2.1.197 and 2.1.332.
 *
 * One JSON object a line. `system/init` names the session; `assistant` holds messages and tool calls, `user` the results of tools; `result` ends the turn,
 * with `is_error` as its verdict: `subtype` says `success` for a refused request too, and the exit status may be 0 then.
 * A session is found only from the directory it began in. A running tool is ended with the CLI.
 */

/** Where `is_error` of the result and `api_retry` records are known from. */
const LOWEST_VERSION = '2.0.0';

const words: CliWords = {
  cli: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  update: 'claude update',
  signIn: 'run claude and type /login, or set ANTHROPIC_API_KEY',
  models: 'run claude and type /model',
};

export const claudeAdapter: AgentAdapter = {
  name: 'claude',
  install: words.install,
  abilities: { resume: 'same_directory', choosesSessionId: true, enforces: ['accessPreset'] },
  matches: (name) => name === 'claude',
  probe,
  execute: async (request) => await driveCli({ request, words, call: callOf(request), reader: new ClaudeReader() }),
};

async function probe(request: ProbeRequest): Promise<AgentIdentity> {
  const status = ['auth', 'status'];
  const [version, signIn] = await Promise.all([
    ask(request, words, { args: ['--version'], deadlineMs: request.deadlines?.identityMs }),
    ask(request, words, { args: status, deadlineMs: request.deadlines?.signInMs }),
  ]);
  const number = requireVersion(request, words, { outcome: version, args: ['--version'], lowest: LOWEST_VERSION });
  if (signIn.exitCode !== 0) throw notSignedIn(request, words, status, signIn);
  const { authMethod, email } = parseRecord(signIn.stdout.text.trim().replaceAll('\n', ' ')) ?? {};
  const account = textOf(email) ?? textOf(authMethod);
  return { executable: request.executable, version: number, ...(account === undefined ? {} : { account }) };
}

/** Tools that change files or run commands. */
const WRITING_TOOLS = ['Bash', 'Edit', 'NotebookEdit', 'Write'];

function callOf(request: AgentRequest): CliCall {
  const { session, model, permissions } = request;
  const args = ['-p', '--output-format', 'stream-json', '--verbose'];
  if (request.mode === 'llm') args.push('--tools', '', '--no-session-persistence');
  else args.push('--dangerously-skip-permissions');
  if (session !== undefined) args.push(session.kind === 'resume' ? '--resume' : '--session-id', session.id);
  if (model !== undefined) args.push('--model', model);
  if (permissions?.accessPreset === 'readonly') args.push('--disallowedTools', WRITING_TOOLS.join(','));
  // Root may skip permissions only in what says of itself that it is a sandbox. The flow's author has decided that the agent may work.
  return { args, input: inputOf(request.task), env: { IS_SANDBOX: '1', DISABLE_AUTOUPDATER: '1' } };
}

/**
 * A task that begins with the name of one of its commands (`/review`, `/clear`) is taken for the command, also by `--disable-slash-commands`: the model sees
 * another text or none, and the turn is a success. Behind a line break it is a task like any other, and arrives byte for byte.
 */
function inputOf(task: string): string {
  return task.startsWith('/') ? `\n${task}` : task;
}

const KINDS: Readonly<Record<string, FailureKind>> = {
  authentication_failed: 'unauthenticated',
  billing_error: 'usage_limited',
  rate_limit: 'usage_limited',
  model_not_found: 'model_unknown',
};

class ClaudeReader implements TurnReader {
  turn: TurnRecord = {};
  /** Names of the tools whose results have not come yet, by the id of the call. */
  readonly #tools = new Map<string, string>();
  /** What the latest message that is an error calls itself. */
  #error: string | undefined;
  #resetsAt: number | undefined;

  read(record: JsonRecord): readonly AgentEvent[] {
    const sessionId = textOf(record['session_id']);
    if (sessionId !== undefined) this.turn = { ...this.turn, sessionId };
    switch (record['type']) {
      case 'assistant':
        this.#error = textOf(record['error']);
        return listOf(recordOf(record['message'])['content']).flatMap((part) => this.#said(recordOf(part)));
      case 'user':
        return listOf(recordOf(record['message'])['content']).flatMap((part) => this.#toolEnded(recordOf(part)));
      case 'rate_limit_event':
        this.#limit(recordOf(record['rate_limit_info']));
        return [];
      case 'result':
        this.turn = { ...this.turn, usage: usageOf(record), result: this.#resultOf(record) };
        return [];
      default:
        return [];
    }
  }

  #said(part: JsonRecord): AgentEvent[] {
    const text = textOf(part['text']);
    if (part['type'] === 'text' && text !== undefined) {
      this.turn = { ...this.turn, message: text };
      return [{ type: 'message', text }];
    }
    if (part['type'] !== 'tool_use') return [];
    const name = textOf(part['name']) ?? 'tool';
    this.#tools.set(textOf(part['id']) ?? '', name);
    return [{ type: 'tool', name, summary: summaryOf(recordOf(part['input'])), phase: 'start' }];
  }

  #toolEnded(part: JsonRecord): AgentEvent[] {
    if (part['type'] !== 'tool_result') return [];
    const id = textOf(part['tool_use_id']) ?? '';
    const name = this.#tools.get(id) ?? 'tool';
    this.#tools.delete(id);
    return [{ type: 'tool', name, summary: '', phase: 'end', ...(part['is_error'] === true ? { failed: true } : {}) }];
  }

  #limit(info: JsonRecord): void {
    const seconds = countOf(info['resetsAt']);
    if (info['status'] === 'rejected' && seconds !== undefined) this.#resetsAt = seconds * 1_000;
  }

  #resultOf(record: JsonRecord): CliResult {
    const text = textOf(record['result']) ?? listOf(record['errors']).map((error) => textOf(error) ?? '').join('; ');
    if (record['is_error'] !== true && record['subtype'] === 'success') return { ok: true, message: text };
    const status = countOf(record['api_error_status']);
    const kind = record['api_error'] === 'connection_failed' ? 'lost' : KINDS[this.#error ?? ''];
    return {
      ok: false,
      text: text === '' ? (textOf(record['subtype']) ?? '') : text,
      ...(status === undefined ? {} : { status }),
      ...(kind === undefined ? {} : { kind }),
      ...(this.#resetsAt === undefined ? {} : { resetsAt: this.#resetsAt }),
    };
  }
}

/** In a session that goes on, `modelUsage` and `total_cost_usd` are those of the whole session: this turn's stand in `model_usage_since_last_result`, where there is one. */
function usageOf(result: JsonRecord): AgentUsage {
  const ofTurn = result['model_usage_since_last_result'];
  const models = Object.values(recordOf(ofTurn ?? result['modelUsage'])).map((used: JsonValue | undefined) => recordOf(used));
  const sum = (names: readonly string[]): number => models.reduce((total, model) => total + names.reduce((part, name) => part + (countOf(model[name]) ?? 0), 0), 0);
  const dollars = ofTurn === undefined ? countOf(result['total_cost_usd']) : sum(['costUSD']);
  return {
    inputTokens: sum(['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens']),
    outputTokens: sum(['outputTokens']),
    ...(dollars === undefined ? {} : { microDollars: Math.round(dollars * 1e6) }),
  };
}

const LONGEST_SUMMARY = 200;

/** What a tool was asked for, in a line. */
function summaryOf(input: JsonRecord): string {
  const told = textOf(input['command']) ?? textOf(input['file_path']) ?? textOf(input['pattern']) ?? textOf(input['description']) ?? JSON.stringify(input);
  return told.length > LONGEST_SUMMARY ? `${told.slice(0, LONGEST_SUMMARY)}…` : told;
}
