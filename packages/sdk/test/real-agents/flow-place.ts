import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentPart, ModelRequest } from '../../src/agents/conformance.js';
import { remains } from '../../src/agents/conformance/traces.js';

const LAUNCHER = fileURLToPath(new URL('../../../cli/bin/flows.js', import.meta.url));

/** An agent that plays a part for a flow. */
export interface FlowAgent {
  /** What a flow calls it: decides on the adapter. */
  readonly name: string;
  readonly executable: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly received: () => readonly string[];
  /** Absent where no model is behind it. */
  readonly requests?: () => readonly ModelRequest[];
  readonly stop: () => Promise<void>;
}

export type StartFlowAgent = (part: AgentPart) => Promise<FlowAgent>;

/** What `flows … --json` prints, as far as these tests look at it. */
export interface Report {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly status: string;
  readonly ok: boolean;
  readonly completionReason: string;
  readonly completionDetail?: string;
  readonly spend: { readonly tokens: number; readonly microDollars: number; readonly unmetered?: boolean };
  readonly diagnostics: readonly { readonly code: string; readonly message?: string }[];
}

/** A folder with one flow, whose agent is started through a program that notes how it was called. */
export class FlowPlace {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'relayflows-real-')));
  readonly work = join(this.folder, 'work');
  readonly agent: FlowAgent;

  constructor(agent: FlowAgent, body: string) {
    this.agent = agent;
    for (const directory of [this.work, join(this.folder, 'bin')]) mkdirSync(directory);
    writeFileSync(join(this.folder, 'subject.flow.ts'), `import { flow } from '@relayflows/surface';\nexport default flow('subject', async (f) => {\n${body.replaceAll('CLI', JSON.stringify(agent.name))}\n});\n`);
    writeFileSync(join(this.folder, 'flows.json'), JSON.stringify({ cli: agent.name }));
    const shim = join(this.folder, 'bin', agent.name);
    writeFileSync(shim, NOTES_CALLS.replaceAll('FOLDER', this.folder).replaceAll('CLI', agent.executable));
    chmodSync(shim, 0o755);
  }

  /** A command in a process of its own. */
  start(...args: readonly string[]): { readonly child: ChildProcess; readonly report: Promise<Report> } {
    const PATH = [join(this.folder, 'bin'), this.agent.hostEnv['PATH'] ?? ''].join(delimiter);
    const child = spawn(process.execPath, [LAUNCHER, ...args, '--json', '--data-dir', 'data'], { cwd: this.folder, env: { ...this.agent.hostEnv, PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const report = new Promise<Report>((resolve, reject) => {
      child.on('close', (exit, signal) => {
        if (signal !== null) resolve({ exit, signal, status: 'killed', ok: false, completionReason: '', spend: { tokens: 0, microDollars: 0 }, diagnostics: [] });
        else if (!stdout.startsWith('{')) reject(new Error(`no report, but: ${stdout}\n${stderr}`));
        else resolve({ ...(JSON.parse(stdout) as Report), exit, signal });
      });
    });
    return { child, report };
  }

  run(): ReturnType<FlowPlace['start']> {
    return this.start('run', 'subject.flow.ts', '--input', '{}', '--cwd', 'work');
  }

  resume(): ReturnType<FlowPlace['start']> {
    return this.start('resume', 'last');
  }

  /** How the agent's program was called so far: its arguments, and which processes of an earlier turn were alive then. */
  calls(): readonly { readonly args: string; readonly alive: readonly string[] }[] {
    const file = join(this.folder, 'calls.txt');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => {
      const [args = '', alive = ''] = line.split('\t');
      return { args, alive: alive.trim().split(' ').filter((pid) => pid !== '') };
    });
  }

  /** What is alive of the agent or works in this folder. */
  remains(): readonly string[] {
    return remains({ runId: 'none', directories: [this.folder] });
  }

  async remove(): Promise<void> {
    await this.agent.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const NOTES_CALLS = `#!/bin/sh
alive=
for file in 'FOLDER'/"work"/*.pid; do
  [ -s "$file" ] || continue
  read -r pid < "$file"
  # One that is dead, and that nobody has fetched, is none.
  case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$pid/status" 2> /dev/null) in '' | Z*) ;; *) alive="$alive $pid" ;; esac
done
printf '%s\\t%s\\n' "$(printf '%s ' "$@" | tr '\\n\\t' '  ')" "$alive" >> 'FOLDER/calls.txt'
exec 'CLI' "$@"
`;
