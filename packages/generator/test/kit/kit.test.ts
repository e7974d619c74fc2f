import { readFileSync } from 'node:fs';
import { matchesIssue } from '@relayflows/surface';
import { describe, expect, test } from 'vitest';
import { generate, generateKit, KIT_FILES, parseDraft } from '../../src/index.js';
import { filtersOf } from '../../src/emit/filters.js';
import { placeholderInput, PLACEHOLDER_TITLE } from '../../src/kit/placeholder-input.js';
import { readTicket, refusalOf } from '../../template/ticket.js';
import { DRAFT, KIT } from './folder.js';

const text = (name: string): string => KIT.find((file) => file.name === name)?.text ?? '';

test('a kit is the flow for here, an input, a text and a preflight', () => {
  expect(KIT.map(({ name }) => name)).toEqual(['software-factory.flow.mts', 'flow-input.json', 'START-HERE.txt', 'relay-preflight.mjs']);
  expect(text(KIT_FILES.flow)).toBe(generate({ ...DRAFT, target: 'local' }));
  expect(text(KIT_FILES.start)).toMatchSnapshot();
  for (const line of text(KIT_FILES.start).split('\n')) expect(line.length).toBeLessThanOrEqual(110);
});

test('a kit of a draft for a host filters tickets itself', () => {
  const [flow] = generateKit({ ...DRAFT, target: 'cloud' });
  expect(flow?.text).toBe(text(KIT_FILES.flow));
});

test('a flow keeps every file of a kit out of commits, and the preflight knows what a flow writes', () => {
  const library = readFileSync(new URL('../../shell/lib.sh', import.meta.url), 'utf8');
  const [, printed = ''] = /^working_files\(\) \{\n([\s\S]*?)^\}/m.exec(library) ?? [];
  const working = [...printed.matchAll(/(?<= )[\w.-]+\.\w+|\.relayflowd?(?=\/)/g)].map(([name]) => name);
  expect(working).toEqual(expect.arrayContaining(Object.values(KIT_FILES)));
  const [, list = ''] = /const KIT = \[(.*)\];\n[\s\S]*?const WORKING_FILES = /.exec(text(KIT_FILES.preflight)) ?? [];
  expect(list.split(', ')).toHaveLength(4);
  for (const name of working.filter((candidate) => !Object.values(KIT_FILES).includes(candidate as never))) expect(text(KIT_FILES.preflight)).toContain(`'${name}'`);
});

describe('the input to fill in', () => {
  test.each([
    [{ kind: 'github' }],
    [{ kind: 'github', repository: 'acme/app', labels: ['bug', 'ready'] }],
    [{ kind: 'gitlab', project: 'acme/app', labels: ['bug'] }],
    [{ kind: 'linear', team: 'ENG', project: 'Checkout', labels: ['bug'] }],
    [{ kind: 'shortcut', workspace: 'acme', team: 'Web' }],
    [{ kind: 'jira', project: 'SHOP', labels: ['bug'] }],
    [{ kind: 'slack', channel: '#dev', contains: 'please fix', mentioned: true }],
    [{ kind: 'markdown' }],
  ] as const)('is refused as it is, and taken once it has a title: %j', (source) => {
    const draft = parseDraft({ ...DRAFT, sources: [source], target: 'local' });
    const input = placeholderInput(draft) as { issue: Record<string, unknown> };
    expect(refusalOf(readTicket(input))).toBe(`"${PLACEHOLDER_TITLE}" is a placeholder, not a ticket.`);
    const issue = { ...input.issue, title: 'Fix the thing' };
    expect(refusalOf(readTicket({ issue }))).toBe('');
    expect(matchesIssue(issue, filtersOf(draft.sources))).toBe(true);
  });

  test('names no ticket, which the change would close', () => {
    expect(JSON.parse(text(KIT_FILES.input))).toMatchObject({ issue: { source: 'github', identifier: '' } });
  });
});
