import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { killAllNow, parseNeedsInput, renderNeedsInput } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { changeLines, type ShownChange } from '../demo/change-page.js';
import { readChange } from '../demo/forge.js';
import { readGarden, type Garden } from '../demo/garden.js';
import { closingLines, openingLines, questionLines } from '../demo/pages.js';
import { play, type Played } from '../demo/play.js';
import { SCENARIOS, type ScenarioName } from '../demo/scenario.js';
import { makeScratch, type Scratch } from '../demo/scratch.js';
import { StoryView } from '../demo/show-story.js';
import { listenForStop } from '../execution/stop-signals.js';
import { exitStatus, SIGNAL_EXIT } from '../report/exit-status.js';
import { reportDocument } from '../report/report-document.js';
import { diagnosticLines, verdictLine } from '../report/report-lines.js';
import { jsonLine } from '../text/clean.js';
import { colorsFor } from '../text/colors.js';

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values, switches }, io, style } = context;
  const name = (values['scenario'] ?? 'fix') as ScenarioName;
  const [scenario, json, keep] = [SCENARIOS[name], switches.has('json'), switches.has('keep')];
  const garden = readGarden();
  const view = new StoryView(io, style.colors, { quiet: json });
  let scratch: Scratch | undefined;
  let stop = (): void => undefined;
  // Before anything is made, so that whoever stops it leaves nothing behind.
  const signals = listenForStop({
    stop: () => {
      view.print('Stopping.\n');
      stop();
    },
    kill: (signal) => {
      view.close();
      killAllNow();
      scratch?.remove();
      process.exit(SIGNAL_EXIT[signal]);
    },
  });
  let kept = false;
  try {
    scratch = makeScratch({ scenario, garden, io });
    await pendingSignals();
    if (signals.stoppedBy !== undefined) return SIGNAL_EXIT[signals.stoppedBy];
    if (!json) io.stderr.write(`${openingLines({ scenario, garden, colors: style.colors }).join('\n')}\n`);
    const onStoppable = (interrupt: () => void): void => {
      stop = interrupt;
      if (signals.stoppedBy !== undefined) interrupt();
    };
    const played = await play({ scratch, scenario, view, onStoppable });
    const change = shownChange(scratch);
    kept = keep;
    if (json) io.stdout.write(`${jsonLine(document({ name, garden, scratch, played, change, keep }))}\n`);
    else show({ context, garden, scratch, played, change, keep, name });
    return exitStatus(played.report, signals.stoppedBy);
  } catch (error) {
    // What a signal has broken off is no failure.
    await pendingSignals();
    if (signals.stoppedBy !== undefined) return SIGNAL_EXIT[signals.stoppedBy];
    throw error;
  } finally {
    if (!kept) scratch?.remove();
    signals.release();
  }
}

/** A signal that arrived while everything waited for git is heard only now: in the second turn, since the first may be the rest of the one that waited. */
async function pendingSignals(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** The change as the forge has it, with what was really pushed. */
function shownChange({ folder, git }: Scratch): ShownChange | undefined {
  const opened = readChange(join(folder, 'forge'));
  if (opened === undefined) return undefined;
  const [base, branch] = [`origin/${opened.base}`, `origin/${opened.branch}`];
  const pushed = `${base}...${branch}`;
  git('fetch', '-q', 'origin');
  const commits = git('log', '--reverse', '--format=%s', `${base}..${branch}`).split('\n');
  return { ...opened, commits, stat: git('diff', '--stat', pushed), diff: git('diff', pushed) };
}

interface Shown {
  readonly name: ScenarioName;
  readonly garden: Garden;
  readonly scratch: Scratch;
  readonly played: Played;
  readonly change: ShownChange | undefined;
  readonly keep: boolean;
}

function show({ context: { io, style }, change, played, ...shown }: Shown & { readonly context: CommandContext }): void {
  const { report, said } = played;
  const colors = colorsFor(io.stdout.isTerminal, io.env);
  const lines = ['', ...(change === undefined ? questionLines({ said, garden: shown.garden, checkout: shown.scratch.checkout, wanted: shown.name === 'unclear-ticket', colors }) : changeLines(change, colors))];
  io.stdout.write(`${[...lines, verdictLine(report)].join('\n')}\n`);
  const problems = report.diagnostics.flatMap((diagnostic) => diagnosticLines(diagnostic, style));
  io.stderr.write(`${['', ...problems, ...closingLines({ ...shown, report, style })].join('\n')}\n`);
}

function document({ name, garden, scratch, played: { report, said }, change, keep }: Shown): Record<string, unknown> {
  const record = parseNeedsInput(said);
  const { version, sha256, bytes } = garden;
  return {
    ...reportDocument('demo', null, report),
    scenario: name,
    flow: { name: 'software-garden', version, sha256, bytes },
    change: change ?? null,
    question: record === undefined ? null : { ...record, markdown: renderNeedsInput(record) },
    folder: keep ? scratch.folder : null,
  };
}
