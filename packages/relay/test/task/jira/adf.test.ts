import { describe, expect, it } from 'vitest';
import { fittingDocument } from '../../../src/task/jira/adf/fit.js';
import { fromMarkdownText } from '../../../src/task/jira/adf/markdown.js';
import { documentOf } from '../../../src/task/jira/adf/node.js';
import { adfText } from '../../../src/task/jira/adf/text.js';
import { toMarkdown } from '../../../src/task/jira/adf/to-markdown.js';
import { adfProblem, words } from './fake/adf.js';

const text = (value: string, ...marks: unknown[]) => ({ type: 'text', text: value, ...(marks.length === 0 ? {} : { marks }) });
const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content });

describe('Markdown as a document', () => {
  it.each<[string, readonly unknown[]]>([
    ['Words', [paragraph(text('Words'))]],
    ['one\ntwo\\\nthree', [paragraph(text('one'), { type: 'hardBreak' }, text('two'), { type: 'hardBreak' }, text('three'))]],
    ['## Head', [{ type: 'heading', attrs: { level: 2 }, content: [text('Head')] }]],
    ['- a\n- b', [{ type: 'bulletList', content: [{ type: 'listItem', content: [paragraph(text('a'))] }, { type: 'listItem', content: [paragraph(text('b'))] }] }]],
    ['3. a', [{ type: 'orderedList', attrs: { order: 3 }, content: [{ type: 'listItem', content: [paragraph(text('a'))] }] }]],
    ['```ts\nlet a;\n```', [{ type: 'codeBlock', attrs: { language: 'ts' }, content: [text('let a;')] }]],
    ['```\n```', [{ type: 'codeBlock', content: [] }]],
    ['**a** _b_ `c` [d](https://e.f)', [paragraph(text('a', { type: 'strong' }), text(' '), text('b', { type: 'em' }), text(' '), text('c', { type: 'code' }), text(' '), text('d', { type: 'link', attrs: { href: 'https://e.f' } }))]],
    ['**a `b`**', [paragraph(text('a ', { type: 'strong' }), text('b', { type: 'code' }))]],
    ['[a](javascript:alert)', [paragraph(text('a'), text(' (javascript:alert)'))]],
    ['[a][b]\n\n[b]: https://c.d', [paragraph(text('a', { type: 'link', attrs: { href: 'https://c.d' } })), paragraph(text('[b]: https://c.d'))]],
    ['![alt](https://a.b/c.png)', [paragraph(text('alt (https://a.b/c.png)'))]],
    ['<!-- v1:summary -->', [paragraph(text('<!-- v1:summary -->'))]],
    ['a <b>c</b>', [paragraph(text('a '), text('<b>'), text('c'), text('</b>'))]],
    ['> # q\n> > deeper', [{ type: 'blockquote', content: [paragraph(text('q', { type: 'strong' })), paragraph(text('deeper'))] }]],
    ['- # h\n\n  ---', [{ type: 'bulletList', content: [{ type: 'listItem', content: [paragraph(text('h', { type: 'strong' })), paragraph(text('---'))] }] }]],
    ['- - a', [{ type: 'bulletList', content: [{ type: 'listItem', content: [paragraph(), { type: 'bulletList', content: [{ type: 'listItem', content: [paragraph(text('a'))] }] }] }] }]],
    ['-', [{ type: 'bulletList', content: [{ type: 'listItem', content: [paragraph()] }] }]],
    ['a\n\n---', [paragraph(text('a')), { type: 'rule' }]],
    ['', []],
    ['\u0000\u001b[0m&#8;x\ud800', [paragraph(text('[0m\ufffdx\ufffd'))]],
  ])('%j', (markdown, content) => {
    const made = fromMarkdownText(markdown);
    expect(JSON.parse(JSON.stringify(made))).toEqual(content);
    expect(adfProblem(documentOf(made))).toBeUndefined();
  });

  it('is valid whatever it is, keeps the marker last, and fits', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    const pieces = ['# ', '> ', '- ', '1. ', '```', '~~~', '\n', '\n\n', '    ', '**', '_', '`', '[a]', '(https://b.c)', '(x:y)', '![', '](', '<!-- c -->', '<b>', '&amp;', '&#0;', '---', '\\', '  \n', 'word', '🦊', '\ud83d', '\t', '[r]: /u "t"', '\u0007', '|a|b|', 'é'];
    for (let round = 0; round < 400; round += 1) {
      const markdown = Array.from({ length: random(60) }, () => pieces[random(pieces.length)]).join('');
      const limit = [32_767, 120, 300][random(3)] ?? 300;
      const document = fittingDocument(markdown, { limit, marker: 'v1:summary' });
      expect(adfProblem(document), JSON.stringify(markdown)).toBeUndefined();
      expect(words(document).length, JSON.stringify(markdown)).toBeLessThanOrEqual(limit + 1);
      expect(words(document).trimEnd().endsWith('<!-- v1:summary -->')).toBe(true);
      expect(adfText(document).split('\n').at(-1)).toBe('<!-- v1:summary -->');
    }
  });

  it('keeps every word of what is nested too deeply', () => {
    for (const markdown of [`${'> '.repeat(60)}deep-word`, `${'- '.repeat(60)}deep-word`, `${'**a _b '.repeat(50)}deep-word`, `${'>'.repeat(32_000)}deep-word`, `${'1. '.repeat(10_000)}deep-word`]) {
      const document = documentOf(fromMarkdownText(markdown));
      expect(adfProblem(document)).toBeUndefined();
      expect(words(document)).toContain('deep-word');
    }
  });

  it('that is too long keeps its beginning and its end', () => {
    const document = fittingDocument(`Begin 🦊\n\n${'🦊'.repeat(40_000)}\n\nEnd`, { limit: 32_767 });
    const said = words(document);
    expect(said.length).toBeLessThanOrEqual(32_767);
    expect(said).toMatch(/^Begin 🦊\n[^]*left out[^]*\nEnd\n$/);
    expect(adfProblem(document)).toBeUndefined();
  });
});

describe('reading a document', () => {
  it('takes anything', () => {
    for (const odd of [undefined, null, 7, [], {}, { type: 'doc' }, { content: 'x' }, { content: [null, 7, 'word'] }, { type: 'text', text: 7 }]) {
      expect(typeof adfText(odd)).toBe('string');
      expect(typeof toMarkdown(odd)).toBe('string');
    }
    expect(toMarkdown('as older sites have it')).toBe('as older sites have it');
    let deep: unknown = { type: 'text', text: 'x' };
    for (let index = 0; index < 100_000; index += 1) deep = { type: 'paragraph', content: [deep] };
    expect([adfText(deep), toMarkdown(deep)]).toEqual(['', '']);
  });

  it('gives back what was written', () => {
    const markdown = ['# Head', 'Words with `code` and [a link](https://a.b).', '- one\n  - below\n    on two lines\n- two', '9. first\n10. second\n    more of it', '> quoted', '```sh\nnpm test\n```', '---'].join('\n\n');
    expect(toMarkdown(documentOf(fromMarkdownText(markdown)))).toBe(markdown);
  });

  it('ends a line for each block and break', () => {
    expect(adfText({ type: 'doc', content: [paragraph(text('a'), { type: 'hardBreak' }, text('b')), { type: 'bulletList', content: [{ type: 'listItem', content: [paragraph(text('c'), { type: 'mention', attrs: { text: '@d' } })] }] }, paragraph(text('e'))] })).toBe('a\nb\nc@d\ne');
  });
});
