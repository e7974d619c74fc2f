import { readFileSync } from 'node:fs';
import { parseReport } from 'relay-flow-plugin/report';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/invocation/table.js';
import { parseConfig } from '../../src/host/config.js';
import { HARNESS_PLUGINS, RUNNER_PLUGINS, TASK_PLUGINS } from '../../src/host/plugin-names.js';
import { parseWorkflow } from '../../src/workflow/parse.js';

const manual = readFileSync(new URL('../../../../docs/relay.md', import.meta.url), 'utf8');

/** The text below a heading, up to the next one. */
function section(heading: string): string {
  const from = manual.indexOf(`\n${heading}\n`);
  if (from < 0) throw new Error(`docs/relay.md has no ${heading}`);
  const end = manual.slice(from + 2).search(/\n#{2,3} /);
  return end < 0 ? manual.slice(from) : manual.slice(from, from + 2 + end);
}

const EVERYWHERE = ['json', 'no-color'];

describe('docs/relay.md', () => {
  test.each(COMMANDS.map((command) => [command.name, command] as const))('explains %s and each of its options', (name, { options }) => {
    const text = section(`### ${name}`);
    for (const { name: option, refused } of options) if (refused === undefined && !EVERYWHERE.includes(option) && !(option === 'repo' && name.startsWith('run '))) expect(text).toContain(`\`--${option}`);
  });

  test('explains what every command has in common', () => {
    for (const option of EVERYWHERE) expect(section('## What every command has in common')).toContain(`\`--${option}\``);
  });

  test('explains no command that does not exist', () => {
    const explained = Array.from(manual.slice(manual.indexOf('\n## Commands\n')).matchAll(/^### (.+)$/gm), ([, heading]) => heading);
    expect(explained).toEqual(COMMANDS.map(({ name }) => name));
  });

  test('has every setting of config.yaml with its default, and no other', () => {
    const rows = Array.from(section('## config.yaml').matchAll(/^\| `(\w+)` \| ([^|]*) \|/gm), ([, key = '', value = '']) => [key, value.trim().replaceAll('`', '')]);
    const shown = Object.entries(parseConfig('')).map(([key, value]) => [key, typeof value === 'object' ? 'none' : String(value)]);
    expect(rows).toEqual(shown);
    for (const plugin of [...TASK_PLUGINS, ...RUNNER_PLUGINS, ...HARNESS_PLUGINS]) expect(section('## config.yaml')).toContain(`\`${plugin}\``);
  });

  test('shows a config.yaml that is one', () => {
    const [, example = ''] = /```text\n([\s\S]*?)```/.exec(section('## config.yaml')) ?? [];
    expect(parseConfig(example).repos).toEqual({ app: { path: '/home/ann/app', taskConfig: { ticketsDir: 'tickets' } } });
  });
});

describe('docs/relay-workflows.md', () => {
  const page = readFileSync(new URL('../../../../docs/relay-workflows.md', import.meta.url), 'utf8');
  const [workflow = '', report = ''] = Array.from(page.matchAll(/```text\n([\s\S]*?)```/g), ([, text]) => text ?? '');

  test('shows a workflow without mistakes and warnings', () => {
    expect(parseWorkflow(workflow)).toMatchObject({ workflow: { name: 'change' }, warnings: [] });
  });

  test('shows a report', () => {
    expect(parseReport(report)).toMatchObject({ ok: true, report: { status: 'success', nextStep: 'approve' } });
  });

  test.each([['workflow', 'zzz: 1'], ['node', 'nodes: {a: {zzz: 1}}']])('explains the keys that a %s can have', (what, text) => {
    const checked = parseWorkflow(text);
    const said = 'problems' in checked ? checked.problems.map(({ hint }) => hint).find((hint) => hint.includes(`a ${what} has the keys`)) : undefined;
    const keys = said?.split('has the keys')[1]?.match(/\w+/g)?.filter((word) => word !== 'and') ?? [];
    expect(keys.length).toBeGreaterThan(4);
    const [first = '', second = ''] = page.slice(0, page.indexOf('\n## Reports')).split('\n## Nodes');
    for (const key of keys) expect(what === 'workflow' ? first : second).toMatch(new RegExp(`^\\| [^|]*\`${key}\`[^|]* \\|`, 'm'));
  });
});
