import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalConformance } from '../../src/journal/conformance.js';
import { createMemoryJournal, createMemoryStore } from '../../src/journal/memory.js';
import { openSqliteJournal } from '../../src/journal/sqlite/open.js';

describe('memory journal', () => {
  journalConformance({
    test,
    setUp: async () => {
      const store = createMemoryStore();
      return { open: async () => createMemoryJournal({ store }), tearDown: async () => undefined };
    },
  });
});

describe('SQLite journal', () => {
  journalConformance({
    test,
    setUp: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'journal-'));
      return {
        open: () => openSqliteJournal({ path: join(folder, 'journal.sqlite3') }),
        tearDown: () => rm(folder, { recursive: true }),
      };
    },
  });
});

describe('the conformance suite', () => {
  const setUp = async () => ({ open: async () => createMemoryJournal(), tearDown: async () => undefined });

  test('leaves excluded scenarios out', () => {
    const names: string[] = [];
    journalConformance({ test: (name) => names.push(name), setUp, exclusions: { 'an empty batch is nothing': 'known gap' } });
    expect(names.length).toBeGreaterThan(60);
    expect(names.some((name) => name.startsWith('an empty batch'))).toBe(false);
  });

  test('refuses an exclusion that excludes nothing', () => {
    expect(() => journalConformance({ test: () => undefined, setUp, exclusions: { typo: 'known gap' } })).toThrow('no scenario typo');
  });
});
