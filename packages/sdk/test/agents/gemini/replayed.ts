import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonLines } from 'test-tools';
import { geminiAdapter } from '../../../src/agents/clis/gemini.js';
import type { AgentRequest, AgentTurn, ProbeRequest } from '../../../src/agents/port.js';
import { superviseProcess } from '../../../src/process/supervise.js';
import { createRedactor } from '../../../src/redaction/redactor.js';
import type { AgentEvent } from '../../../src/run/events.js';
import { folder } from '../fixture.js';

/** What Gemini CLI 0.61.0 wrote on its two outputs, with paths, ids, times and addresses replaced and stack traces cut to a line. */
export interface Recording {
  readonly exitCode: number;
  readonly stderr: readonly string[];
  readonly records: readonly Readonly<Record<string, unknown>>[];
  /** It was killed while it slept, and sleeps again when it is played. */
  readonly waits?: true;
}

const RECORDED = fileURLToPath(new URL('../../../testdata/agents/gemini/', import.meta.url));

export function recording(name: string): Recording {
  return JSON.parse(readFileSync(`${RECORDED}${name}.json`, 'utf8')) as Recording;
}

/** Notes how it was called, then writes what was recorded. */
const SCRIPT = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const args = process.argv.slice(2);
const home = process.env.HOME;
if (args.includes('--version')) {
  console.log(readFileSync(join(home, 'version'), 'utf8'));
} else {
  const input = readFileSync(0, 'utf8');
  const policies = args.flatMap((arg, at) => (args[at - 1] === '--policy' || args[at - 1] === '--admin-policy' ? [arg] : []));
  const file = '.gemini/settings.json';
  const { NODE_OPTIONS, GEMINI_CLI_NO_RELAUNCH, GEMINI_CLI_TRUST_WORKSPACE, GIT_CONFIG_COUNT } = process.env;
  appendFileSync(join(home, 'calls'), JSON.stringify({
    args, input, cwd: process.cwd(), env: { NODE_OPTIONS, GEMINI_CLI_NO_RELAUNCH, GEMINI_CLI_TRUST_WORKSPACE, GIT_CONFIG_COUNT },
    git: Object.entries(process.env).filter(([name]) => /^GIT_CONFIG_(KEY|VALUE)_/.test(name)),
    policy: policies.length === 0 ? '' : readFileSync(policies[0], 'utf8'),
    settings: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined,
    variables: existsSync('.env') ? readFileSync('.env', 'utf8') : undefined,
  }) + '\\n');
  const { exitCode, stderr, records, waits } = JSON.parse(readFileSync(join(home, 'recording'), 'utf8'));
  process.stderr.write(stderr.join('\\n') + '\\n');
  process.stdout.write(records.map((record) => JSON.stringify(record) + '\\n').join(''));
  if (waits) setInterval(() => undefined, 1_000);
  else process.exit(exitCode);
}
`;

export interface Call {
  readonly args: readonly string[];
  readonly input: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly git: readonly (readonly [string, string])[];
  readonly policy: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly variables?: string;
}

/** A CLI that plays a recording, in a home and a directory of its own. */
export class ReplayedGemini {
  readonly home = folder();
  readonly cwd = folder();
  readonly executable = join(folder(), 'gemini');
  readonly events: AgentEvent[] = [];
  hostEnv: Readonly<Record<string, string | undefined>> = { PATH: process.env['PATH'], HOME: this.home, TMPDIR: process.env['TMPDIR'] };

  constructor(plays: string | Recording = 'work') {
    writeFileSync(this.executable, SCRIPT);
    chmodSync(this.executable, 0o755);
    writeFileSync(join(this.home, 'version'), '0.61.0');
    this.play(plays);
  }

  play(plays: string | Recording): void {
    writeFileSync(join(this.home, 'recording'), JSON.stringify(typeof plays === 'string' ? recording(plays) : plays));
  }

  /** Writes a file below a folder. */
  write(directory: string, file: string, content: string): void {
    mkdirSync(join(directory, file, '..'), { recursive: true });
    writeFileSync(join(directory, file), content);
  }

  calls(): readonly Call[] {
    return jsonLines(join(this.home, 'calls'));
  }

  async probe() {
    return await geminiAdapter.probe({ executable: this.executable, ...this.#shared() } satisfies ProbeRequest);
  }

  async execute(more: Partial<AgentRequest> = {}): Promise<AgentTurn> {
    return await geminiAdapter.execute({
      mode: 'agent', identity: { executable: this.executable }, task: 'Do it.', runEnv: {}, now: () => NOW, ...this.#shared(), onEvent: (event) => this.events.push(event), ...more,
    });
  }

  #shared() {
    const redactor = createRedactor({ env: this.hostEnv });
    return { cwd: this.cwd, hostEnv: this.hostEnv, marker: { runId: `gemini-${process.pid}`, stepId: 'agent-1', attempt: 1 }, supervise: superviseProcess, redaction: () => redactor.stream() };
  }
}

/** 2026-11-30T20:00:00Z. */
export const NOW = 1_796_068_800_000;
