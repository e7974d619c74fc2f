import type { RunRecord, RunStatus, Runtime } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { EXIT } from '../report/exit-status.js';
import { dataDirOf, hasJournal, withRuns } from '../runs/data-dir.js';
import { cleanLine, jsonLine } from '../text/clean.js';
import { colorsFor } from '../text/colors.js';
import { ago } from '../text/quantities.js';
import { table } from '../text/table.js';

const DEFAULT_LIMIT = 50;

interface ListedRun {
  readonly run: RunRecord;
  readonly ownerAlive?: boolean;
}

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { switches, values }, io } = context;
  const dataDir = dataDirOf(context);
  const listed = hasJournal(dataDir) ? await withRuns(context, dataDir, (runtime) => list(runtime, context)) : [];
  if (switches.has('json')) {
    io.stdout.write(`${jsonLine({ v: 1, ok: true, command: 'runs', dataDir, runs: listed.map(asData) })}\n`);
  } else if (listed.length === 0) {
    io.stderr.write(`There are no ${values['status'] === undefined ? '' : `${values['status']} `}runs in ${dataDir}.\n`);
  } else {
    const [head = '', ...rows] = asTable(listed, io.now(), io.stdout.isTerminal ? io.stdout.columns : undefined);
    io.stdout.write(`${[colorsFor(io.stdout.isTerminal, io.env).dim(head), ...rows].join('\n')}\n`);
  }
  return EXIT.success;
}

async function list(runtime: Runtime, { invocation: { values } }: CommandContext): Promise<ListedRun[]> {
  const status = values['status'] as RunStatus | undefined;
  const runs = await runtime.list({ limit: Number(values['limit'] ?? DEFAULT_LIMIT), ...(status === undefined ? {} : { statuses: [status] }) });
  const listed: ListedRun[] = [];
  for (const run of runs) {
    // A process that was killed could not write that it no longer runs.
    const ownerAlive = run.status === 'running' ? (await runtime.status(run.id)).ownerAlive : undefined;
    listed.push({ run, ...(ownerAlive === undefined ? {} : { ownerAlive }) });
  }
  return listed;
}

function asData({ run, ownerAlive }: ListedRun): Record<string, unknown> {
  return {
    runId: run.id,
    flowName: run.flowName,
    ...(run.flowVersion === undefined ? {} : { flowVersion: run.flowVersion }),
    status: run.status,
    completionReason: run.completion?.reason ?? null,
    ...(run.completion?.detail === undefined ? {} : { completionDetail: run.completion.detail }),
    cwd: run.cwd,
    createdAt: run.createdAt,
    updatedAt: run.updatedAt,
    ...(run.wakeAt === undefined ? {} : { wakeAt: run.wakeAt }),
    ...(ownerAlive === undefined ? {} : { ownerAlive }),
    humanInfluenced: run.humanInfluenced,
  };
}

function asTable(listed: readonly ListedRun[], now: number, columns: number | undefined): string[] {
  const head = [{ title: 'run' }, { title: 'flow', flexible: true as const }, { title: 'status' }, { title: 'reason' }, { title: 'started' }];
  const rows = listed.map(({ run, ownerAlive }) => [
    run.id,
    cleanLine(run.flowName),
    ownerAlive === false ? 'running (process gone)' : run.status,
    run.completion?.reason ?? '',
    ago(now - run.createdAt),
  ]);
  return table(head, rows, columns);
}
