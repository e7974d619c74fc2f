import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNeedsInput, renderNeedsInput, type RunReport } from '@relayflows/sdk';
import type { LineStyle } from '../report/report-lines.js';
import { cleanText } from '../text/clean.js';
import type { Colors } from '../text/colors.js';
import { rule } from './change-page.js';
import type { Garden } from './garden.js';
import type { Scenario, ScenarioName } from './scenario.js';
import type { Scratch } from './scratch.js';

function named({ version }: Garden): string {
  return version === null ? 'software-garden, not published yet: as it was built' : `software-garden v${version}, as it was published`;
}

/** What the demo begins with. */
export function openingLines({ scenario, garden, colors: { bold, dim } }: { readonly scenario: Scenario; readonly garden: Garden; readonly colors: Colors }): string[] {
  const { ticket, state } = scenario;
  return [
    `${bold('From a ticket to a change request')}, in a scratch folder: no network, no model, no account.`,
    '',
    `  ticket      ${ticket.identifier} ${bold(ticket.title)}`,
    ...ticket.body.split('\n').filter((line) => line !== '').map((line) => dim(`              ${line}`)),
    `  repository  a till in JavaScript with a bare origin; ${state}`,
    `  flow        ${named(garden)} ${dim(`(${(garden.bytes / 1_000).toFixed(1)} kB, sha256 ${garden.sha256.slice(0, 12)})`)}`,
    '  agents      a script plays claude and codex; all else is real: git, the checks, the run',
    '',
  ];
}

export interface Asked {
  /** What the flow itself printed. */
  readonly said: string;
  readonly garden: Garden;
  readonly checkout: string;
  /** Whether a question is what this scenario is about. */
  readonly wanted: boolean;
  readonly colors: Colors;
}

/** What stands in the place of a change request when none was opened: the question that goes to the ticket, or what the flow says instead. */
export function questionLines({ said, garden, checkout, wanted, colors }: Asked): string[] {
  const record = parseNeedsInput(said);
  if (record !== undefined) return [rule('The question that goes to the ticket', colors), '', ...indented(renderNeedsInput(record)), ''];
  const file = join(checkout, '.relayflow/needs-input.md');
  const asked = wanted && existsSync(file) ? cleanText(readFileSync(file, 'utf8')) : '';
  return [
    rule('No change request was opened', colors),
    '',
    ...indented(cleanText(said)),
    '',
    ...(asked === '' ? [] : [`  ${garden.version === null ? 'This build of the flow' : `Version ${garden.version} of the flow`} does not relay questions; version 3 does. The agent asked:`, '', ...indented(asked).map((line) => `  ${line}`), '']),
  ];
}

function indented(text: string): string[] {
  return text.trim().split('\n').map((line) => `  ${line}`.trimEnd());
}

export interface Closing {
  readonly name: ScenarioName;
  readonly report: RunReport;
  readonly scratch: Scratch;
  readonly keep: boolean;
  readonly style: LineStyle;
}

/** What the verdict means, and where to go from here. */
export function closingLines({ name, report, scratch, keep, style: { colors, command } }: Closing): string[] {
  const { bold, dim } = colors;
  const place = keep
    ? [`Kept in ${bold(scratch.folder)}: the checkout till, origin.git, ticket.json, the flow. Look at the run with`, `  ${command(`status last --data-dir ${scratch.dataDir}`)}`]
    : ['Nothing is left behind; with --keep the repository and the run stay.'];
  const next = [
    ...(name === 'fix' ? [['demo --scenario unclear-ticket', 'a ticket that leaves a question open']] as const : [['demo', 'a ticket that becomes a change request']] as const),
    ['generate --kit garden', 'such a flow for your own repository and agents'],
  ] as const;
  const width = Math.max(...next.map(([args]) => command(args).length));
  return [
    ...(report.completionReason === 'needs_human' ? [`${colors.yellow('needs_human')} is how a run ends well here: ${name === 'fix' ? 'a person reads the change and merges it' : 'a person answers'}. Exit status 3.`] : []),
    ...place,
    '',
    ...next.map(([args, explains]) => `  ${command(args).padEnd(width)}  ${dim(explains)}`),
  ];
}
