import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime, sealFlow, type RunReport } from '@relayflows/sdk';
import { generate, type DraftInput } from '@relayflows/generator';
import { shellsPerSecond } from '../floors.js';
import type { Sample, Workload } from '../workload.js';

/** Plays every role at once, and notes when it began and ended, in nanoseconds. */
const AGENT = `#!/bin/sh
[ "$1" != auth ] || exit 0
begun=$(date +%s%N)
echo relayflows-agent-cli-v1
read -r line
echo relayflows-agent-cli-v1-execute
case $line in
  *'create the empty file review.clean'*) : >review.clean ;;
  *'Write summary.md: what changed'*) IMPLEMENT ;;
esac
echo done
echo "$begun $(date +%s%N)" >>"$HOME/turns"
`;

/** The programs that open changes, of a forge that takes no time. */
const OPEN = '#!/bin/sh\necho https://forge.example/changes/1\n';

interface Played {
  readonly report: RunReport;
  readonly steps: number;
  /** Milliseconds since the epoch. */
  readonly begun: number;
  readonly ended: number;
  /** Of each turn of an agent, from its first to its last act, in milliseconds since the epoch. */
  readonly turns: readonly (readonly [begun: number, ended: number])[];
}

/** Runs the flow of the generator in a small repository, with agents that take no time and checks that are one command. */
async function play(folder: string, implement: string): Promise<Played> {
  const place = mkdtempSync(join(folder, 'garden-'));
  const at = (name: string): string => join(place, name);
  mkdirSync(at('bin'));
  for (const [name, text] of [['agent', AGENT.replace('IMPLEMENT', implement)], ['relayflow-open-change', OPEN]] as const) {
    writeFileSync(join(at('bin'), name), text);
    chmodSync(join(at('bin'), name), 0o755);
  }
  execFileSync('sh', ['-ec', SETUP], { cwd: place });
  const draft: DraftInput = { version: 1, sources: [{ kind: 'github' }], agents: ['claude', 'codex'], workflow: 'traditional' };
  writeFileSync(at('garden.flow.ts'), generate(draft).replaceAll(/cli: '(claude|codex)'/g, "cli: 'agent'"));
  const sealed = await sealFlow(at('garden.flow.ts'));
  let steps = 0;
  const runtime = createRuntime({
    dataDir: at('data'),
    env: { PATH: `${at('bin')}:${process.env['PATH']}`, HOME: place },
    onEvent: ({ type }) => (steps += type === 'step.started' ? 1 : 0),
  });
  const input = { issue: { source: 'github', identifier: '#4', title: 'Fix the thing' }, checkCommand: 'true' };
  const begun = Date.now();
  const report = await runtime.run(sealed, { input, cwd: at('repo') }).result;
  const ended = Date.now();
  await runtime.close();
  const turns = readFileSync(at('turns'), 'utf8').trim().split('\n').map((line) => line.split(' ').map((time) => Number(time) / 1e6) as [number, number]);
  return { report, steps, begun, ended, turns };
}

const SETUP = `git init -q --bare -b main origin.git
git init -q -b main repo
cd repo
git config user.name Bench && git config user.email bench@example.invalid
git remote add origin ../origin.git
for file in 1 2 3 4 5 6 7 8 9; do echo "$file" >"$file.txt"; done
git add -A && git commit -q -m 'First files' && git push -q -u origin main && git remote set-head origin main`;

/** What a run came to, or an error when it is not what is measured. */
function assertEnd({ report }: Played, detail: string): void {
  if (report.completionReason === 'needs_human' && report.completionDetail?.includes(detail) === true) return;
  throw new Error(`The run came to something else: ${JSON.stringify(report)}`);
}

async function sample(value: number, steps: number): Promise<Sample> {
  return { value, floor: (steps * 1_000) / await shellsPerSecond(20) };
}

const shared = { unit: 'ms', floorTitle: 'as many bare shells', rounds: 3 } as const;

export const garden: Workload = {
  ...shared,
  key: 'garden',
  title: 'the Software Garden around agents and checks, clean run',
  target: { of: 'value', direction: 'at most', limit: 5_000 },
  measure: async (folder) => {
    const played = await play(folder, 'echo new >new.txt; git add new.txt; git commit -q -m New; echo "# New" >summary.md');
    assertEnd(played, 'https://forge.example/changes/1');
    const agents = played.turns.reduce((sum, [begun, ended]) => sum + ended - begun, 0);
    return await sample(played.ended - played.begun - agents, played.steps);
  },
};

export const gardenUnchanged: Workload = {
  ...shared,
  key: 'gardenUnchanged',
  title: 'the end of an implementer that changed nothing, to the verdict',
  target: { of: 'value', direction: 'at most', limit: 1_000 },
  measure: async (folder) => {
    const played = await play(folder, 'echo "Which thing?" >.relayflow/needs-input.md');
    assertEnd(played, 'Nothing was changed');
    // Change check, relay, and leaving the clone as it was.
    return await sample(played.ended - (played.turns.at(-1)?.[1] ?? 0), 3);
  },
};
