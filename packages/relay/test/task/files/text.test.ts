import { describe, expect, test } from 'vitest';
import { edited, newMailbox, readTicketText } from '../../../src/task/files/ticket-file.js';

const at = '2026-11-30T23:00:00.000Z';
const bytes = (text: string) => Buffer.from(text, 'utf8');
const edit = (text: string, ...[change]: [Parameters<typeof edited>[1]]) => edited(bytes(text), change).toString('utf8');
const comment = (marker: string, body = 'It is fixed.') => ({ marker, at, body });
const block = (marker: string, body = 'It is fixed.') => `**relay-flow**, ${at}\n\n> ${body}\n\n<!-- ${marker} -->\n`;

describe('front matter is cut, not written anew', () => {
  const before = 'title:   "Fix # the login"   # as Ana calls it\n\n# who: Bo\npriority: 007\n';
  const cases: readonly (readonly [name: string, matter: string, change: Parameters<typeof edited>[1], after: string])[] = [
    ['a plain status', 'status: To Do\n', { status: 'In Progress' }, 'status: In Progress\n'],
    ['a status with a comment behind it', 'status:   To Do   # by hand\nx: 1\n', { status: 'Done' }, 'status:   Done   # by hand\nx: 1\n'],
    ['a status in double quotes', 'status: "To Do"\n', { status: 'Done' }, 'status: "Done"\n'],
    ['a status in single quotes', "status: 'To Do'\n", { status: "Bo's turn" }, "status: 'Bo''s turn'\n"],
    ['a status that YAML would take for something else', 'status: To Do\n', { status: 'yes' }, 'status: "yes"\n'],
    ['a status with a colon', 'status: To Do\n', { status: 'Wait: #1' }, 'status: "Wait: #1"\n'],
    ['a status in another script', 'status: To Do\n', { status: 'À faire 🦊' }, 'status: "À faire 🦊"\n'],
    ['a key without a value', 'status:\nx: 1\n', { status: 'Done' }, 'status: Done\nx: 1\n'],
    ['a key without a value, with a comment', 'status: # none yet\nx: 1\n', { status: 'Done' }, 'status: Done # none yet\nx: 1\n'],
    ['a key that is missing', 'x: 1\n# end\n', { status: 'Done' }, 'x: 1\n# end\nstatus: Done\n'],
    ['nothing but a comment', '# nothing\n', { status: 'Done' }, '# nothing\nstatus: Done\n'],
    ['nothing at all', '', { status: 'Done' }, 'status: Done\n'],
    ['a folded status', 'status: >-\n  To\n  Do\nx: 1\n', { status: 'Done' }, 'status: Done\nx: 1\n'],
    ['labels that are missing', 'x: 1\n', { labels: ['wf:ship', 'a b'] }, 'x: 1\nlabels: [wf:ship, a b]\n'],
    ['labels without a value', 'labels:\nx: 1\n', { labels: ['wf:ship'] }, 'labels: [wf:ship]\nx: 1\n'],
    ['one label', 'labels: bug # one\n', { labels: ['wf:ship'] }, 'labels: [bug, wf:ship] # one\n'],
    ['no label', 'labels: []\n', { labels: ['wf:ship'] }, 'labels: [wf:ship]\n'],
    ['labels in a line', 'labels: [ bug,  "a b" ] # x\n', { labels: ['wf:ship', 'bug'] }, 'labels: [ bug,  "a b", wf:ship ] # x\n'],
    ['labels in lines', 'labels:\n  - bug # first\n\n  - "a b"\n# end\nx: 1\n', { labels: ['wf:ship'] }, 'labels:\n  - bug # first\n\n  - "a b"\n  - wf:ship\n# end\nx: 1\n'],
    ['labels in lines without indentation', 'labels:\n- 007\n- yes # y\nx: 1\n', { labels: ['wf:ship'] }, 'labels:\n- 007\n- yes # y\n- wf:ship\nx: 1\n'],
    ['labels over several lines', 'labels: [\n  bug,\n  ui, # last\n]\n', { labels: ['wf:ship'] }, 'labels: [\n  bug,\n  ui, wf:ship, # last\n]\n'],
    ['an assignee that is taken away', 'assignee: Ana # since May\n', { assignee: '' }, 'assignee: "" # since May\n'],
    ['nobody, who stays nobody', 'x: 1\n', { assignee: '' }, 'x: 1\n'],
    ['an anchor beside it', 'x: &a [1]\ny: *a\nstatus: To Do\n', { status: 'Done' }, 'x: &a [1]\ny: *a\nstatus: Done\n'],
    ['all at once', 'status: To Do\nlabels: [a]\n', { status: 'Done', labels: ['b'], assignee: 'Bo' }, 'status: Done\nlabels: [a, b]\nassignee: Bo\n'],
    ['what is there already', "labels: ['wf:ship']\nstatus: 'Done'\n", { status: 'Done', labels: ['wf:ship'] }, "labels: ['wf:ship']\nstatus: 'Done'\n"],
  ];
  test.each(cases)('%s', (_, matter, change, after) => {
    expect(edit(`---\n${before}${matter}---\nText.\n`, change)).toBe(`---\n${before}${after}---\nText.\n`);
  });

  test.each(cases)('%s, with Windows line breaks and a byte order mark', (_, matter, change, after) => {
    const windows = (text: string) => `\ufeff${`---\n${text}---\nText.`.replaceAll('\n', '\r\n')}`;
    expect(edit(windows(before + matter), change)).toBe(windows(before + after));
  });

  test.each([
    ['{title: A, status: To Do} # odd\n', '{title: A, status: Done, labels: [wf:ship]} # odd\n'],
    ['{\n  title: A,\n  x: 007\n}\n', '{\n  title: A,\n  x: 007, labels: [wf:ship], status: Done\n}\n'],
    ['{}\n', '{labels: [wf:ship], status: Done}\n'],
  ])('a mapping in a line: %j', (before, after) => {
    expect(edit(`---\n${before}---\n`, { status: 'Done', labels: ['wf:ship'] })).toBe(`---\n${after}---\n`);
  });

  test.each(['status: &s To Do\nother: *s\n', 'x: &x\n  y: 1\n<<: *x\nstatus: *x\n', '? status\n: [a]\n'])('%j is left to a person', (matter) => {
    expect(() => edit(`---\n${matter}---\n`, { status: 'Done' })).toThrow(/`status`/);
  });
});

describe('what a ticket says', () => {
  test.each([
    ['title: 1.50\nstatus: true\nlabels: [007, no]\n', { title: '1.50', status: 'true', labels: ['007', 'no'] }],
    ['title: ~\nlabels: null\nblockedBy: A-1\nassignee: ""\n', { labels: [], blockedBy: ['A-1'] }],
    ['blockedBy:\n  - A-1\n  - \n  - A-2\n', { labels: [], blockedBy: ['A-1', 'A-2'] }],
    ['title: |\n  Two\n  lines\n', { title: 'Two\nlines' }],
    ['base: &b Bo\nassignee: *b\n', { assignee: 'Bo' }],
  ])('%j', (matter, expected) => {
    expect(readTicketText(bytes(`---\n${matter}---\n`))).toMatchObject(expected);
    expect(Object.keys(readTicketText(bytes(`---\n${matter}---\n`))).includes('status')).toBe('status' in expected);
  });

  test.each([
    ['', 'is empty'],
    ['# Just text\n', 'has no front matter between two lines of `---`'],
    ['---\ntitle: A\n', 'has no front matter between two lines of `---`'],
    ['\n---\ntitle: A\n---\n', 'has no front matter between two lines of `---`'],
    ['---\na: 1\ntitle: [A\n---\n', /^has front matter that is not YAML \(line \d: .*\)$/],
    ['---\ntitle: A\ntitle: B\n---\n', /not YAML \(line 3: Map keys must be unique\)/],
    ['---\n- a\n- b\n---\n', 'has front matter that is not a list of `key: value`'],
    ['---\ntitle: [A]\n---\n', 'has a `title` that is not a word or a line of text'],
    ['---\nlabels: {a: b}\n---\n', 'has `labels` that are not a list of words'],
    ['---\nlabels: [[a]]\n---\n', 'has `labels` that are not a list of words'],
  ])('%j is refused', (text, message) => {
    expect(() => readTicketText(bytes(text))).toThrow(message);
    expect(() => edited(bytes(text), { labels: ['a'] })).toThrow(message);
  });

  test('front matter that is too deep to be composed is refused before it is', () => {
    expect(() => readTicketText(bytes(`---\ntitle: ${'['.repeat(100_000)}\n---\n`))).toThrow('nested too deep');
  });

  test('bytes that are no text are refused in the front matter and kept in the body', () => {
    const odd = Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0d, 0xc3]);
    const file = (matter: Buffer, body: Buffer) => Buffer.concat([bytes('---\ntitle: A\n'), matter, bytes('---\n'), body]);
    expect(() => readTicketText(file(Buffer.concat([bytes('x: '), odd, bytes('\n')]), bytes('')))).toThrow('is not UTF-8');
    const after = edited(file(bytes(''), odd), { status: 'Done', comments: [comment('v1:summary', 'é 🦊')] });
    expect(after).toEqual(file(bytes('status: Done\n'), Buffer.concat([odd, bytes(`\n\n## Comments\n\n${block('v1:summary', 'é 🦊')}`)])));
  });
});

describe('comments', () => {
  const markers = (body: string) => readTicketText(bytes(`---\n---\n${body}`)).markers;
  const add = (body: string, marker = 'v1:summary') => edit(`---\n---\n${body}`, { comments: [comment(marker)] }).slice('---\n---\n'.length);

  test.each([
    ['an empty body', '', `\n## Comments\n\n${block('v1:summary')}`],
    ['text without a line break at its end', 'Text', `Text\n\n## Comments\n\n${block('v1:summary')}`],
    ['text with blank lines at its end', 'Text\n\n', `Text\n\n## Comments\n\n${block('v1:summary')}`],
    ['a section that is empty', '\n## Comments', `\n## Comments\n\n${block('v1:summary')}`],
    ['a section before another', '## Comments\n\n### Bo\n\nHm.\n\n\n## Notes\n\nText\n', `## Comments\n\n### Bo\n\nHm.\n\n${block('v1:summary')}\n\n## Notes\n\nText\n`],
    ['a section that is quoted in a fence', '```md\n## Comments\n```\n', `\`\`\`md\n## Comments\n\`\`\`\n\n## Comments\n\n${block('v1:summary')}`],
    ['a fence that was never closed', '~~~~sh\nrm x\n', `~~~~sh\nrm x\n~~~~\n\n## Comments\n\n${block('v1:summary')}`],
    ['an HTML comment that was never closed', '<!-- later\nText\n', `<!-- later\nText\n-->\n\n## Comments\n\n${block('v1:summary')}`],
  ])('%s', (_, body, after) => {
    expect(add(body)).toBe(after);
    expect(markers(after)).toEqual(['v1:summary']);
    expect(add(after)).toBe(after);
    expect(markers(add(after, 'v2:summary'))).toEqual(['v1:summary', 'v2:summary']);
    expect(markers(add(after, 'v2:summary').replaceAll('\n', '\r\n'))).toEqual(['v1:summary', 'v2:summary']);
  });

  test('are text, whatever an agent printed', () => {
    const after = edit('---\n---\n', { comments: [comment('v1:summary', 'a\u0000b\u001b[31m\u0007\u007f\tc\rd\u000ce')] });
    expect(after).toContain('> ab[31m\tc\n> de\n');
  });

  test.each([
    ['a line of its own', '## Comments\n\n<!-- v1:summary -->\n'],
    ['the middle of a line', `## Comments\n\n**relay-flow**, ${at}\n\n> a\n\nsee <!-- v1:summary -->\n`],
    ['a quotation', `> ${block('v1:summary').replaceAll('\n', '\n> ')}\n`],
    ['a code fence', `\`\`\`md\n## Comments\n\n${block('v1:summary')}\`\`\`\n`],
    ['an HTML comment of several lines', '<!--\n**relay-flow**, 2026-11-30T23:00:00.000Z\n\n> x\n-->\n<!-- v1:summary -->\n'],
    ['an indented block', `    ${block('v1:summary').replaceAll('\n', '\n    ')}\n`],
    ['a person, below another comment', `${block('v0:summary')}\n### Bo\n\n<!-- v1:summary -->\n`],
    ['a person, below a comment without its marker and another heading', `**relay-flow**, ${at}\n\n> a\n\n## Notes\n\n<!-- v1:summary -->\n`],
  ])('a marker in %s is not ours', (_, body) => {
    expect(markers(body)).not.toContain('v1:summary');
    expect(markers(add(body))).toContain('v1:summary');
  });

  test.each([
    ['words of a person in it', block('v1:summary').replace('\n\n<!--', '\n\nI think so too. Bo\n\n<!--')],
    ['an open fence above it', `\`\`\`sh\nrm x\n\n## Comments\n\n${block('v1:summary')}`],
    ['another heading above it', `## Log\n\n${block('v1:summary')}`],
    ['an HTML comment above it that was never closed', `<!-- x\n\n## Comments\n\n${block('v1:summary')}`],
  ])('a comment stays ours with %s', (_, body) => {
    expect(markers(body)).toEqual(['v1:summary']);
    expect(add(body)).toBe(body);
  });

  test('nothing in a comment passes for something else', () => {
    const bodies = [block('v9:summary'), '```\n', '<!--\n', '-->', '## Comments\n', '---\ntitle: B\n---\n', '', 'a\r\nb\rc', '\u2028', '<!-- v9:summary -->', '> > ```'];
    let text = '---\ntitle: A\n---\n```sh\nls\n```\n';
    for (const [index, body] of bodies.entries()) text = edit(text, { comments: [comment(`v${index}`, body)] });
    expect(readTicketText(bytes(text))).toMatchObject({ title: 'A', markers: bodies.map((_, index) => `v${index}`) });
    expect(text.startsWith('---\ntitle: A\n---\n```sh\nls\n```\n\n## Comments\n')).toBe(true);
  });

  test('many open fences cost no more than their lines', () => {
    const body = `${'`'.repeat(3)}${'a\n```b\n~~~~ c\n<!-- d\n'.repeat(20_000)}`;
    expect(markers(add(body))).toEqual(['v1:summary']);
  });
});

describe('descriptions of mailboxes', () => {
  const make = (description: string) => newMailbox({ title: 'A-1:review', status: 'To Do', description });
  test.each(['Text', 'Text\r\n\r\nMore\r\n', '## Comments\n\nmine', '```\nopen', '<!-- open\n\n## Comments', '~~~~\n```\n## Comments\n', '', '---\ntitle: B\n---', '> a\n\n## Comments'])('%j is written once and stays apart from comments', (description) => {
    const first = make(description);
    const commented = edited(first, { comments: [comment('v1:summary')] });
    expect(readTicketText(commented)).toMatchObject({ title: 'A-1:review', status: 'To Do', markers: ['v1:summary'] });
    expect(edited(commented, { description }).toString()).toBe(commented.toString());
    const other = edited(commented, { description: 'Something else' });
    expect(other.toString()).toBe(`---\ntitle: A-1:review\nstatus: To Do\n---\n\nSomething else\n\n## Comments\n\n${block('v1:summary')}`);
    expect(edited(other, { description }).toString()).toBe(commented.toString());
  });
});
