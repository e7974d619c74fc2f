import { describe, expect, it } from 'vitest';
import type { NeedsInputRecord } from '../../src/needs-input/record.js';
import { renderNeedsInput } from '../../src/needs-input/render.js';
import { REFERENCES, rendered, TRIGGERS } from './rendered.js';

const asked = (...lines: readonly string[]): NeedsInputRecord => ({ source: 'needs-input.md', lines });

describe('a comment', () => {
  it('quotes the question of a file', () => {
    expect(renderNeedsInput(asked('The ticket names `src/user.ts`, which does not exist.', 'Which one is meant?', '1. src/users/user.ts', '- [ ] ask @team'))).toBe([
      'The agent changed nothing, since it needs an answer first:',
      '',
      '> The ticket names &#x60;`src/user.ts`&#x60;, which does not exist.  ',
      '> Which one is meant?  ',
      '> 1\\. `src/users/user.ts`  ',
      '> \\- \\[ \\] ask &#x40;`team`',
    ].join('\n'));
  });

  it('says of a summary what it is, and how much of it was cut', () => {
    expect(renderNeedsInput({ source: 'implementer-summary', lines: ['Postgres or SQLite?'], truncated: { keptBytes: 19, totalBytes: 1_234_567 } })).toBe([
      'The agent changed nothing. Its last message may say what it needs:',
      '',
      '> Postgres or SQLite?',
      '',
      '_Only the last 19 of 1,234,567 bytes are shown._',
    ].join('\n'));
    expect(renderNeedsInput({ ...asked('Which?'), truncated: { keptBytes: 6, totalBytes: 4_500 } })).toMatch(/\n\n_Only the first 6 of 4,500 bytes are shown\._$/);
  });

  it('is a general note without a question', () => {
    const note = 'The agent changed nothing and left no question. Say in the ticket what should change and where, then start it again.';
    expect(renderNeedsInput({ source: 'none', lines: [] })).toBe(note);
    expect(renderNeedsInput({ source: 'none', lines: ['@team'] })).toBe(note);
    expect(renderNeedsInput(asked())).toBe(note);
    expect(renderNeedsInput(asked('\u200B', '\u001B[2J'))).toBe(note);
  });

  it('cleans a record that somebody made by hand', () => {
    expect(rendered(renderNeedsInput(asked('a\n\n# b\u001B[31m', '\u202E<b>c'))).lines).toEqual(['a', '# b', '<b>c']);
  });
});

const HOSTILE: readonly [string, readonly string[]][] = [
  ['mention', ['@team', 'ask @org/team, please', '(@team)', 'x@team', '@@team', '＠team', '請問@team', '\\@team', '&#64;team &commat;team', '<@U123> <!channel>', '@team\u00A0@all']],
  ['address', ['a@b.example', '<a@b.example>', 'mailto:a@b.example', 'xmpp:a@b.example/x']],
  ['reference to an issue', ['#12', 'org/repo#12', 'GH-12', 'gh-12', 'ABC-123', 'Fixes #12.', '(#12)', '＃12', '!45', '$12', '%3', '~label', '&4', '^alert#1', '#1#2', 'x-#12']],
  ['commit', ['deadbee', 'effaced', '3f2a9c1d0b', '1234567', 'org/repo@3f2a9c1', '3f2a9c1...4e5b8d2', 'a-deadbee', '1,234567,8', '12345678901234567890']],
  ['emoji', [':smile:', ':+1:', 'a:smile:b', '::', ': smile:', ':a: :b:']],
  ['autolink', ['https://x.example/a_b', 'HTTP://x.example', 'www.x.example', 'WWW.x.example', 'ftp://x.example', 'https\\://x.example', '(https://x.example)', 'https:// x.example', 'javascript:alert(1)', 'https&#58;//x.example']],
  ['link', ['[a](https://x.example)', '[a b c](x)', '[a][b]', '[b]: https://x.example', '<https://x.example>', '[a]\u00A0(x)', '[](x)', '[[wiki]]', '[^1] [^1]: note']],
  ['image', ['![a](https://x.example/p.png)', '! [a](x)', '![a][b]', '!\\[a](x)']],
  ['HTML', ['<b>a</b>', '<img src=x onerror=alert(1)>', '<script>alert(1)</script>', '<!-- a', '-->', '</blockquote>', '<details open>', 'a < b > c', '<', '&lt;b&gt; &amp; &', '<?php', '<![CDATA[']],
  ['fence', ['```', '```js', '~~~', '````', '` ` `', '``', '`', '`a``b```c', '``` a `` b ` c ```', '`a b`', '`` ` ``', '\\`a`', '`@team`', '`a` `@b` `c`', '$$', '$`a`$', '$x$']],
  ['heading', ['# a', '## a', '#', '# a #', '===', '=', '= =', '---', '-', '- - -', '--']],
  ['list', ['- a', '* a', '+ a', '1. a', '1) a', '01. a', '123456789. a', '-a', '- - a', '- 1. a', '- [x] a', '- # a', 'a) b', ': a', '* * *', '***', '+']],
  ['quotation', ['> a', '>a', '>>> a', '> > a', '[!NOTE]', '[!WARNING] a', '>']],
  ['table', ['| a | b |', '|---|---|', 'a | b', '- | -', ':-: | :-:', '---|---', '|', '\\|']],
  ['emphasis', ['*a*', '**a b**', '_a_ __b__', '~~a~~', '~a~', 'a_b_c', '* a *', 'a* b*']],
  ['escape', ['\\', 'a\\', '\\\\', 'a \\', '\\`', '\\ `a\\`', '\\<b>', '\\\\<b>']],
  ['command', ['/close', '/assign me', ' /close', 'a /close', '/ close', '@bot merge', '//', 'a://b', '/*']],
  ['entity', ['&#x40;team', '&#x60;', '&copy', '&#x3c;b&#x3e;']],
];

describe.each(HOSTILE)('a %s', (_kind, samples) => {
  it.each(samples)('does not come alive: %s', (sample) => {
    const clean = sample.trim();
    for (const lines of [[clean], ['before', clean, 'after'], [clean, clean], ['before', clean, '---', '===', '|---|---|']]) {
      const markdown = renderNeedsInput(asked(...lines));
      const { kinds, lines: shown, texts } = rendered(markdown);
      expect([...kinds].filter((kind) => !['blockquote', 'paragraph', 'text', 'inlineCode', 'break'].includes(kind))).toEqual([]);
      expect(shown).toEqual(lines);
      for (const pattern of REFERENCES) for (const text of texts) expect(text).not.toMatch(pattern);
      for (const pattern of TRIGGERS) expect(markdown.slice(markdown.indexOf('\n\n')).replace(/&#x[0-9a-f]+;/g, '\uFFFC')).not.toMatch(pattern);
    }
  });
});

it.each([
  'Which file does the ticket mean?',
  "I found two (see below), and they don't agree: which is right?",
  'Half of the 12 tests fail, 3.5 s each, 50% of them at once!',
  'Größe? 何か。 Это всё? well-known e\u0301 👍',
])('is plain text where nothing could be made of it: %s', (line) => {
  expect(renderNeedsInput(asked(line))).toContain(`\n> ${line}`);
});
