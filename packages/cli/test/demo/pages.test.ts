import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatNeedsInput } from '@relayflows/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { changeLines, type ShownChange } from '../../src/demo/change-page.js';
import { questionLines } from '../../src/demo/pages.js';
import { NO_COLORS } from '../../src/text/colors.js';

const GARDEN = { version: 1, sha256: 'a'.repeat(64), bytes: 47_000, source: '' };

function checkoutWith(question?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'flows-pages-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (question !== undefined) {
    mkdirSync(join(folder, '.relayflow'));
    writeFileSync(join(folder, '.relayflow/needs-input.md'), question);
  }
  return folder;
}

const page = (said: string, { version = 1, question, wanted = true }: { readonly version?: number; readonly question?: string; readonly wanted?: boolean } = {}): string =>
  questionLines({ said, garden: { ...GARDEN, version }, checkout: checkoutWith(question), wanted, colors: NO_COLORS }).join('\n');

describe('where nothing was opened', () => {
  test('the question that the flow relays is shown as it stands on the ticket', () => {
    const said = `relayflow: Nothing was changed, checked, pushed or opened.\n${formatNeedsInput({ source: 'needs-input.md', text: 'Which file? <b>\n- a.js\n' })}\n`;
    const shown = page(said, { version: 3 });
    expect(shown).toMatch(/^── The question that goes to the ticket ─+\n\n[\s\S]*\n {2}> Which file\?.*\n {2}> \\- `a\.js`\n$/);
    expect(shown).not.toContain('<b>');
  });

  test('a version that relays none says so, beside what the agent asked', () => {
    expect(page('relayflow: Nothing was committed.\n', { question: 'Which file?\n' })).toMatch(/── No change request was opened ─+\n\n {2}relayflow: Nothing was committed\.\n\n {2}Version 1 of the flow does not relay questions; version 3 does\. The agent asked:\n\n {4}Which file\?\n$/);
  });

  test('what the flow says is enough where no question is what it is about', () => {
    expect(page('relayflow: No.\u001B[2J\n', { question: 'Which?\n', wanted: false })).toMatch(/opened ─+\n\n {2}relayflow: No\.\n\n?$/);
  });
});

test('a change request is shown with its comments, its commits and its diff, and cannot repaint a terminal', () => {
  const change: ShownChange = {
    number: 1, title: 'Fix\u001B[2J it', body: 'Done.\n\n<details><summary>check: its end</summary>\n\n```\nok\n```\n\n</details>\n', branch: 'relayflow/4-fix', base: 'main', draft: true, reviewers: ['alex'],
    comments: ['The review is not resolved.'], commits: ['One', 'Two'], stat: ' a | 1 +', diff: 'diff --git a/a b/a\n+x\u001B]0;evil\u0007',
  };
  expect(changeLines(change, NO_COLORS).join('\n')).toMatchSnapshot();
});
