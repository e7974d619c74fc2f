import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { BODY_MAX, fitBody } from '../../src/forge/body/fit-body.js';
import { draftTitle, withoutDraftMark, withoutQuickActions } from '../../src/forge/gitlab/texts.js';
import { seededRandom } from '../seeded-random.js';

describe('a text that is too long', () => {
  it('leaves one that fits as it is', () => {
    const text = 'ä🦊'.repeat(100);
    expect(fitBody(text, text.length)).toBe(text);
    expect(fitBody('a\0b\ud800c')).toBe('ab\ufffdc');
  });

  it('keeps what closes tickets, once, and says how much there was', () => {
    const text = `Fixes #4\n\n${'x'.repeat(90)}\n\n- Closes group/project#5\nTicket: https://example.com/T-6\nresolves https://example.com/o/r/issues/7\n`;
    expect(fitBody(text, 200)).toBe([
      '- Closes group/project#5', '', 'Ticket: https://example.com/T-6', '', 'resolves https://example.com/o/r/issues/7', '',
      'Fixes #4', '', '', `*The text is cut here: of ${text.length} characters, 9 are shown.*`, '',
    ].join('\n'));
  });

  it.each([
    ['```', 'a code block', '```\n'],
    ['~~~~', 'a code block of tildes', '~~~~sh\n'],
    ['-->', 'a comment', '<!-- \n'],
    ['</details>', 'a folded part', '<details><summary>x</summary>\n\n'],
  ])('closes %s', (end, _what, begin) => {
    const cut = fitBody(`${begin}${'line\n'.repeat(400)}`, 1_000);
    expect(cut.length).toBeLessThanOrEqual(1_000);
    expect(cut).toContain(`${end}\n`);
    expect(cut.indexOf(end, begin.length)).toBeLessThan(cut.indexOf('*The text is cut'));
  });

  it('takes nothing in a code block or a comment for a reference', () => {
    const text = `${'x'.repeat(900)}\n\`\`\`\nFixes #1\n\`\`\`\n<!--\nFixes #2\n-->\nfixes the #3\nFixes #4\n`;
    expect(fitBody(text, 500).match(/#\d+/g)).toEqual(['#4']);
  });

  it.each([
    ['a pair', '🦊', 2], ['an accent', 'e\u0301', 2], ['a family', '👩\u200d👧', 5], ['a skin', '👍🏽', 4],
  ])('splits no character: %s', (_what, character, units) => {
    expect(character.length).toBe(units);
    for (let offset = 0; offset < units; offset += 1) {
      const cut = fitBody(`${'x'.repeat(offset)}${character.repeat(1_000)}`, 600);
      const shown = cut.slice(0, cut.indexOf('\n')).slice(offset);
      expect(shown.replaceAll(character, '')).toBe('');
    }
  });

  it('holds for whatever is in it', () => {
    const random = seededRandom(11);
    let kept = 0;
    const pieces = ['```\n', '````\n', '~~~\n', '<!--', '-->', '<details>\n', '</details>\n', 'Fixes #4\n', '🦊', 'e\u0301', '\n', '\r\n', 'word ', '\0', '\udc00', '- a\n', '> b\n', '    c\n'];
    for (let round = 0; round < 300; round += 1) {
      const text = Array.from({ length: 40 + random(300) }, () => pieces[random(pieces.length)]).join('');
      const limit = 200 + random(300);
      const cut = fitBody(`${text}\nFixes #77\n`, limit);
      expect(cut.length).toBeLessThanOrEqual(limit);
      expect(cut.isWellFormed()).toBe(true);
      // Where the text itself hides its end there is nothing to keep.
      if (!/^(Fixes #4\n\n)?Fixes #77\n/.test(cut)) continue;
      kept += 1;
      expect(textOf(cut)).toContain('Fixes #77');
    }
    expect(kept).toBeGreaterThan(20);
    expect(BODY_MAX).toBe(65_536);
  });
});

/** What is shown as text, and not as code or left out as a comment. */
function textOf(markdown: string): string {
  const found: string[] = [];
  const visit = (node: { type: string; value?: string; children?: readonly unknown[] }): void => {
    if (node.type === 'text') found.push(node.value ?? '');
    for (const child of node.children ?? []) visit(child as Parameters<typeof visit>[0]);
  };
  visit(fromMarkdown(markdown));
  return found.join('\n');
}

describe('titles of GitLab', () => {
  it.each([
    ['Fix it', true, 'Draft: Fix it'],
    ['Fix it', false, 'Fix it'],
    ['Draft: Fix it', true, 'Draft: Fix it'],
    ['Draft: Fix it', false, 'Fix it'],
    ['[Draft] draft: (DRAFT) WIP: Fix it', false, 'Fix it'],
    ['Drafting: fix it', false, 'Drafting: fix it'],
    ['Fix the Draft: prefix', false, 'Fix the Draft: prefix'],
  ])('%s, as a draft: %s', (title, draft, result) => {
    expect(draftTitle(title, draft)).toBe(result);
  });

  it('are never empty', () => {
    expect(withoutDraftMark('Draft:')).toBe('Draft:');
  });
});

describe('quick actions', () => {
  it.each([
    ['/merge', '\\/merge'],
    ['a\n/close\nb', 'a\n\\/close\nb'],
    ['  /assign @ada', '  \\/assign @ada'],
    ['a /merge b', 'a /merge b'],
    ['//comment', '//comment'],
    ['/ alone', '/ alone'],
    ['```\n/usr/bin/node\n```\n/close', '```\n/usr/bin/node\n```\n\\/close'],
    ['```\n/merge', '```\n\\/merge'],
    ['~~~\n/merge\n~~~', '~~~\n\\/merge\n~~~'],
    ['````\n```\n/merge\n````', '````\n```\n\\/merge\n````'],
    ['/merge\r\n', '\\/merge\n'],
  ])('%j becomes %j', (text, inert) => {
    expect(withoutQuickActions(text)).toBe(inert);
  });
});
