import { describe, expect, test } from 'vitest';
import { edited, readTicketText } from '../../../src/task/files/ticket-file.js';

const AT = '2026-11-30T23:00:00.000Z';
const LINES = [
  '', 'Text', '```', '```md', '````', '~~~', '~~~~', '<!--', '-->', '<!-- a', 'b -->', '<!-- q -->', '## Comments', '## Comments  ', '# Title', '## Notes', '### Bo', '> quoted', '>', '---',
  `**relay-flow**, ${AT}`, '<!-- q0 -->', '<!-- q1 -->', '    ```', '  ```', '- item', '\t', '\u00e9 🦊', '`` ` ``', '```a`b',
];
const MATTER = ['status: To Do', 'labels: [a]', 'labels:\n  - a # b\n\n  - "c"', '# words', 'other: |\n  status: x\n  ---x', 'x: {a:  1}', 'type: Bug', "quoted: 'it''s'", '', 'n: 007', '- : x'];

/** The same numbers for the same seed (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function pick<T>(from: readonly T[], below: (n: number) => number): T {
  return from[below(from.length)] as T;
}

/** What is left of `after` when one piece is taken out, if that is `before`. */
function onlyAdded(before: Buffer, after: Buffer): boolean {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  const tail = before.length - start;
  return after.subarray(after.length - tail).equals(before.subarray(start));
}

describe('whatever a file looks like', () => {
  test('a comment is added in one piece, is found, is added once, and hides no other', () => {
    for (let seed = 0; seed < 1_500; seed += 1) {
      const below = numbers(seed);
      const eol = pick(['\n', '\r\n'], below);
      const body = Array.from({ length: below(14) }, () => pick(LINES, below)).join(eol) + pick(['', eol], below);
      let file: Buffer = Buffer.from(`---${eol}title: A${eol}---${eol}${body}`);
      const expected = [...readTicketText(file).markers];
      for (const marker of ['m0', 'm1', 'm2']) {
        const comment = { marker, at: AT, body: Array.from({ length: below(5) }, () => pick(LINES, below)).join('\n') };
        const after = edited(file, { comments: [comment] });
        expected.push(marker);
        const { markers } = readTicketText(after);
        expect([...markers].sort(), `seed ${seed}: ${JSON.stringify(after.toString())}`).toEqual([...expected].sort());
        expect(onlyAdded(file, after), `seed ${seed}`).toBe(true);
        expect(edited(after, { comments: [comment] }).equals(after)).toBe(true);
        file = after;
      }
    }
  });

  test('the description of a mailbox can be replaced again and again beside comments', () => {
    for (let seed = 0; seed < 800; seed += 1) {
      const below = numbers(seed);
      const words = () => Array.from({ length: below(8) }, () => pick(LINES, below)).join('\n');
      let file: Buffer = Buffer.from('---\ntitle: A-1:a\n---\n');
      for (let round = 0; round < 4; round += 1) {
        const description = pick([words(), ''], below);
        file = edited(file, { description, comments: [{ marker: `m${round}`, at: AT, body: words() }] });
        expect([...readTicketText(file).markers].filter((marker) => marker.startsWith('m')), `seed ${seed}: ${JSON.stringify(file.toString())}`).toEqual(Array.from({ length: round + 1 }, (_, index) => `m${index}`));
        expect(edited(file, { description }).equals(file), `seed ${seed}: ${JSON.stringify(file.toString())}`).toBe(true);
      }
    }
  });

  test('front matter keeps every other byte, or is left to a person', () => {
    let changed = 0;
    for (let seed = 0; seed < 2_000; seed += 1) {
      const below = numbers(seed);
      const lines = [...new Set(Array.from({ length: below(7) }, () => pick(MATTER, below)))];
      const file = Buffer.from(`---\n${lines.map((line) => `${line}\n`).join('')}---\nText\n`);
      try {
        readTicketText(file);
      } catch {
        continue;
      }
      const after = edited(file, { labels: ['wf:ship'], status: 'In Progress' });
      const found = readTicketText(after);
      expect([found.status, found.labels.at(-1)], `seed ${seed}`).toEqual(['In Progress', 'wf:ship']);
      const kept = lines.filter((line) => !/^(?:status|labels)/.test(line)).map((line) => `${line}\n`);
      let at = 0;
      for (const line of kept) {
        at = after.toString().indexOf(line, at);
        expect(at, `seed ${seed}: ${after.toString()}`).toBeGreaterThan(-1);
      }
      changed += 1;
    }
    expect(changed).toBeGreaterThan(500);
  });
});
