import { describe, expect, it } from 'vitest';
import { changeArguments, openArguments } from '../../src/forge/commands/arguments.js';

const open = { do: 'open', title: 'T', bodyFile: 'b.md', draft: false, reviewers: [] };
const wrong = (text: RegExp) => expect.objectContaining({ code: 'invalid_invocation', text: expect.stringMatching(text) as string, hint: expect.stringContaining('--help') as string }) as Error;

describe('relayflow-open-change', () => {
  it.each([
    [['--title', 'T', '--body-file', 'b.md'], open],
    [['--title=T', '--body-file=b.md', '--draft'], { ...open, draft: true }],
    [['-t', 'T', '-F', '-', '-d', '-B', 'main', '-H', 'a/b', '-r', 'ada'], { ...open, bodyFile: '-', draft: true, base: 'main', head: 'a/b', reviewers: ['ada'] }],
    [['--title', ' T ', '--body-file', 'b.md', '--reviewer', 'ada,octo/team', '--reviewer', '@grace'], { ...open, reviewers: ['ada', 'octo/team', '@grace'] }],
    // Titles come from tickets.
    [['--title', '--draft', '--body-file', 'b.md'], { ...open, title: '--draft' }],
    [['--title', '-x = "y" $(z)', '--body-file', 'b.md'], { ...open, title: '-x = "y" $(z)' }],
    [['--title', 'T', '--body-file', 'b.md', '--head', 'ä/🦊'], { ...open, head: 'ä/🦊' }],
  ])('%j', (args, command) => {
    expect(openArguments(args)).toEqual(command);
  });

  it.each([
    [[], /needs --title/],
    [['--title', '', '--body-file', 'b.md'], /needs --title/],
    [['--title', 'a\nb', '--body-file', 'b.md'], /one line/],
    [['--title', 'T'], /needs --body-file/],
    [['--title', 'T', '--body-file'], /does not know: .*argument missing/],
    [['--titel', 'T'], /does not know: Unknown option '--titel'\.$/],
    [['--title', 'T', '--body-file', 'b.md', 'more'], /does not know: Unexpected argument 'more'/],
    [['--title', 'T', '--body-file', 'b.md', '--draft=yes'], /does not know/],
    [['--title', 'T', '--body-file', 'b.md', '--head', '-x'], /branch in --head, not "-x"/],
    [['--title', 'T', '--body-file', 'b.md', '--base', ''], /branch in --base/],
    [['--title', 'T', '--body-file', 'b.md', '--head', 'octo:branch'], /branch in --head/],
    [['--title', 'T', '--body-file', 'b.md', '--reviewer', ''], /user in --reviewer/],
  ])('refuses %j', (args, text) => {
    expect(() => openArguments(args)).toThrow(wrong(text));
  });
});

describe('relayflow-change', () => {
  it.each([
    [['draft'], { do: 'draft' }],
    [['ready'], { do: 'ready' }],
    [['comment', '--body-file', 'b.md'], { do: 'comment', bodyFile: 'b.md' }],
    [['-F', '-', 'comment'], { do: 'comment', bodyFile: '-' }],
    [['comment', '--body-file', '-odd.md'], { do: 'comment', bodyFile: '-odd.md' }],
  ])('%j', (args, command) => {
    expect(changeArguments(args)).toEqual(command);
  });

  it.each([
    [[], /one of draft, ready and comment/],
    [['close'], /one of draft, ready and comment/],
    [['draft', 'ready'], /one of draft, ready and comment/],
    [['comment'], /needs --body-file/],
    [['draft', '--body-file', 'b.md'], /for a comment only, not for draft/],
    [['draft', '--undo'], /Unknown option '--undo'\.$/],
  ])('refuses %j', (args, text) => {
    expect(() => changeArguments(args)).toThrow(wrong(text));
  });
});

it('both say how they are called', () => {
  expect(openArguments(['--help'])).toMatchObject({ do: 'help', text: expect.stringContaining('--body-file <file>') as string });
  expect(changeArguments(['draft', '-h'])).toMatchObject({ do: 'help', text: expect.stringContaining('draft | ready | comment') as string });
});
