import { readFileSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StreamCapture } from '../../src/process/capture.js';
import { LineSplitter } from '../../src/process/line-splitter.js';
import { Tail } from '../../src/process/tail.js';
import { Utf8Decoder } from '../../src/process/utf8.js';
import type { StreamRequest } from '../../src/process/port.js';
import { collectGarbage } from '../tools.js';
import { tempFolder } from './harness.js';

function capture(pieces: readonly (string | Uint8Array)[], request: StreamRequest = {}): ReturnType<StreamCapture['end']> {
  const stream = new StreamCapture(request);
  for (const piece of pieces) stream.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return stream.end();
}

describe('bytes to text', () => {
  const samples: readonly (readonly [string, Uint8Array])[] = [
    ['characters of every length', Buffer.from('a é € 🦊 \u{10ffff} \u0800 \uffff z')],
    ['a byte order mark', Buffer.from('\ufeffx')],
    ['a lone continuation', Buffer.from([0x61, 0x80, 0x62])],
    ['a lead byte in front of a letter', Buffer.from([0xe2, 0x82, 0x61])],
    ['an end in the middle of a character', Buffer.from([0x61, 0xf0, 0x9f, 0xa6])],
    ['overlong and surrogate forms', Buffer.from([0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf8, 0x88, 0xff, 0x41])],
    ['lead bytes in a row', Buffer.from([0xf0, 0xe2, 0xc3, 0xa9])],
    ['Latin-1', Buffer.from('fa\xe7ade', 'latin1')],
    ['every byte', Uint8Array.from({ length: 256 }, (_, index) => index)],
  ];

  it.each(samples)('%s, however they are split', (_, bytes) => {
    const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    for (let size = 1; size <= bytes.length; size += 1) {
      const decoder = new Utf8Decoder();
      // One memory for all pieces, as the reader does it.
      const memory = new Uint8Array(size);
      let text = '';
      for (let at = 0; at < bytes.length; at += size) {
        const piece = bytes.subarray(at, at + size);
        memory.set(piece);
        text += decoder.push(memory.subarray(0, piece.length));
      }
      expect(text + decoder.end()).toBe(whole);
    }
  });

  it('hands on no half of a character', () => {
    const decoder = new Utf8Decoder();
    const bytes = Buffer.from('a🦊');
    expect([...bytes].map((byte) => decoder.push(Uint8Array.of(byte)))).toEqual(['a', '', '', '', '🦊']);
  });
});

describe('the end of a text', () => {
  it.each([
    ['nothing', [], 10, '', 0],
    ['all when it fits', ['abc', 'def'], 6, 'abcdef', 0],
    ['the last bytes', ['abc', 'def'], 4, 'cdef', 2],
    ['whole characters', ['aé€🦊'], 5, '🦊', 6],
    ['whole characters, bytes to spare', ['€€€'], 8, '€€', 3],
    ['nothing where nothing is kept', ['abc'], 0, '', 3],
  ])('%s', (_, pieces, limit, text, dropped) => {
    const tail = new Tail(limit);
    pieces.forEach((piece) => tail.push(piece));
    expect(tail.end()).toEqual({ text, dropped });
  });

  it('is exact over many blocks and pieces of every size', () => {
    for (const [size, count] of [[1, 40_000], [7, 30_000], [30_000, 40], [70_000, 20]] as const) {
      const tail = new Tail(100_000);
      let all = '';
      for (let index = 0; index < count; index += 1) {
        const piece = `${index}é`.repeat(size).slice(0, size);
        all += piece;
        tail.push(piece);
      }
      const bytes = Buffer.from(all);
      const { text, dropped } = tail.end();
      expect(dropped + Buffer.byteLength(text)).toBe(bytes.length);
      expect(Buffer.byteLength(text)).toBeGreaterThan(Math.min(bytes.length, 100_000) - 4);
      expect(all.endsWith(text)).toBe(true);
    }
  });

  it('stays small however much goes through', async () => {
    const tail = new Tail(64 * 1024);
    const piece = 'x'.repeat(64 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    for (let index = 0; index < 4_000; index += 1) tail.push(piece);
    // The engine gives memory back beside the program, and so a moment later.
    await expect.poll(() => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers - before;
    }).toBeLessThan(10 * 1024 * 1024);
    expect(tail.end().dropped).toBe(3_999 * 64 * 1024);
  });
});

describe('lines', () => {
  const lines = (...pieces: string[]): string[] => {
    const seen: string[] = [];
    const splitter = new LineSplitter((line) => seen.push(line));
    pieces.forEach((piece) => splitter.push(piece));
    splitter.end();
    return seen;
  };

  it.each([
    [['a\nb\n'], ['a', 'b']],
    [['a', 'b\nc'], ['ab', 'c']],
    [['a\r\nb\r', '\nc\rd'], ['a', 'b', 'c\rd']],
    [['\n\n'], ['', '']],
    [[''], []],
  ])('%j are %j', (pieces, expected) => {
    expect(lines(...pieces)).toEqual(expected);
  });

  it('cuts a line without end and finds the next one', () => {
    const piece = 'x'.repeat(1024 * 1024);
    const [long, next] = lines(...Array.from({ length: 40 }, () => piece), '\nnext\n');
    expect(long?.length).toBe(32 * 1024 * 1024);
    expect(next).toBe('next');
  });
});

describe('redaction', () => {
  const hideSecret = (): NonNullable<StreamRequest['redaction']> => {
    let held = '';
    const safe = (text: string): string => text.replaceAll('secret', '***');
    return {
      push(text) {
        const all = held + text;
        const cut = Math.max(0, all.length - 5);
        const whole = safe(all);
        if (whole !== all) {
          held = '';
          return whole;
        }
        held = all.slice(cut);
        return all.slice(0, cut);
      },
      end: () => safe(held),
    };
  };

  it('comes before everything that is kept and after the lines for a protocol', () => {
    const logPath = join(tempFolder(), 'out.log');
    const seen: string[] = [];
    const raw: string[] = [];
    const { text } = capture(['my sec', 'ret\nend'], { redaction: hideSecret(), logPath, onText: (piece) => seen.push(piece), onRawLine: (line) => raw.push(line) });
    expect(text).toBe('my ***\nend');
    expect(seen.join('')).toBe(text);
    expect(readFileSync(logPath, 'utf8')).toBe(text);
    expect(raw).toEqual(['my secret', 'end']);
  });

  it('comes before the text is cut', () => {
    expect(capture(['a secret'], { redaction: hideSecret(), retainBytes: 4 })).toEqual({ text: ' ***', dropped: 1 });
  });
});

describe('the log', () => {
  it('does not exist before the first byte', () => {
    const logPath = join(tempFolder(), 'steps', 'run-1', 'attempt-1.stdout.log');
    expect(capture([], { logPath })).toEqual({ text: '', dropped: 0 });
    expect(existsSync(dirname(logPath))).toBe(false);
  });

  it('is readable by its owner alone, and so are its folders', () => {
    const root = tempFolder();
    const logPath = join(root, 'steps', 'run-1', 'attempt-1.stdout.log');
    expect(capture(['x'], { logPath })).toEqual({ text: 'x', dropped: 0, logPath });
    expect(statSync(logPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 'steps')).mode & 0o777).toBe(0o700);
  });

  it('holds everything, not only what is retained', () => {
    const logPath = join(tempFolder(), 'out.log');
    const { text, dropped } = capture(Array.from({ length: 10 }, () => 'x'.repeat(100_000)), { logPath, retainBytes: 10 });
    expect([text, dropped, statSync(logPath).size]).toEqual(['x'.repeat(10), 999_990, 1_000_000]);
  });

  it('is cut at its limit, between two characters, and says so', () => {
    const logPath = join(tempFolder(), 'out.log');
    const result = capture(['€€', '€€', 'more'], { logPath, logBytes: 10 });
    expect(result).toEqual({ text: '€€€€more', dropped: 0, logPath, logCut: 'limit' });
    expect(readFileSync(logPath, 'utf8')).toBe('€€€\n[relayflow: the log is cut here, at its limit of 10 bytes; what follows is missing]\n');
  });

  it('begins again where an earlier attempt of the same number left one', () => {
    const logPath = join(tempFolder(), 'out.log');
    writeFileSync(logPath, 'something longer');
    capture(['new'], { logPath });
    expect(readFileSync(logPath, 'utf8')).toBe('new');
  });

  it('costs the log and not the step when it cannot be created', () => {
    const file = join(tempFolder(), 'a-file');
    writeFileSync(file, '');
    expect(capture(['x', 'y'], { logPath: join(file, 'below', 'out.log') })).toEqual({ text: 'xy', dropped: 0, logCut: 'write_failed' });
  });

  it.runIf(existsSync('/dev/full'))('costs the log and not the step when the disk is full', () => {
    expect(capture(['x', 'y'], { logPath: '/dev/full' })).toEqual({ text: 'xy', dropped: 0, logPath: '/dev/full', logCut: 'write_failed' });
  });
});
