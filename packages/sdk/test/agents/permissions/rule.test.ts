import { describe, expect, it } from 'vitest';
import { attribute } from '../../../src/agents/permissions/attribution.js';
import { globProblem, writeRule } from '../../../src/agents/permissions/rule.js';

const allowed = async (fileGlobs: string[], path: string): Promise<boolean | undefined> => (await writeRule({ fileGlobs }))?.allows(path);

describe('writeRule', () => {
  it.each([
    ['src/**', 'src/a.ts', true], ['src/**', 'src/deep/er/.hidden', true], ['src/**', 'src.txt', false], ['src/**', 'lib/src/a', false],
    ['src/', 'src/a/b', true], ['src', 'src/a', false], ['./src/**', 'src/a', true],
    ['*.md', 'README.md', true], ['*.md', 'docs/a.md', false], ['*.md', '.hidden.md', true], ['**/*.md', 'README.md', true], ['**/*.md', 'docs/a.md', true],
    ['**', '.env', true], ['**', 'a/.git-ignored/b', true], ['a/{b,c}.txt', 'a/c.txt', true], ['a/[bc].txt', 'a/d.txt', false], ['!(*.env)', 'a.txt', true], ['!(*.env)', 'x.env', false],
    ['src/**', 'src/new\nline', true], ['**', 'two\nlines/a', true], ['Src/**', 'src/a', false], [String.raw`back\\slash`, String.raw`back\slash`, true],
  ])('%j and %j: %j', async (glob, path, verdict) => expect(await allowed([glob], path)).toBe(verdict));

  it('takes out what an exclusion matches, whatever the order', async () => {
    for (const globs of [['src/**', '!src/gen/**'], ['!src/gen/**', 'src/**']]) {
      expect(await allowed(globs, 'src/a')).toBe(true);
      expect(await allowed(globs, 'src/gen/a')).toBe(false);
    }
  });

  it('allows nothing for an empty list, and nothing with readonly whatever the globs', async () => {
    expect(await allowed([], 'a')).toBe(false);
    expect((await writeRule({ accessPreset: 'readonly', fileGlobs: ['**'] }))?.allows('a')).toBe(false);
  });

  it.each([undefined, {}, { accessPreset: 'readwrite' as const }, { networkAllowlist: ['a'] }])('there is none for %j', async (permissions) => expect(await writeRule(permissions)).toBeUndefined());
});

describe('globProblem', () => {
  it.each([[['/etc/*'], 'absolute'], [['!/etc/*'], 'absolute'], [['../*'], 'leads out'], [['a/../../b'], 'leads out'], [['!'], 'names nothing'], [['./'], 'names nothing'], [['!a', '!b'], 'only exclusions']])('%j', (globs, words) => {
    expect(globProblem(globs)).toContain(words);
  });
  it.each([[[]], [['a..b', '...']], [['**', '!a']], [['!(a)']]])('finds nothing wrong with %j', (globs) => expect(globProblem(globs)).toBeUndefined());
});

describe('attribute', () => {
  const at = (beside: Parameters<typeof attribute>[0]['beside'], turns: 'one' | 'several' = 'one') => attribute({ directory: '/r/a', beside, repository: '/r/.git', turns });

  it.each([
    ['nobody', at([]), { except: [] }],
    ['a command, which may write anywhere', at([{ stepId: 'run-1' }]), { none: 'run-1 ran meanwhile', except: [], notRepository: 'run-1 ran meanwhile' }],
    ['an agent above', at([{ stepId: 'agent-1', directory: '/r', repository: '/r/.git' }]), { none: 'agent-1 ran meanwhile', except: [], notRepository: 'agent-1 ran meanwhile' }],
    ['an agent below', at([{ stepId: 'agent-1', directory: '/r/a/b' }]), { except: [{ prefix: 'b/', why: 'agent-1 worked there meanwhile' }] }],
    ['an agent beside, in the same repository', at([{ stepId: 'agent-1', directory: '/r/ab', repository: '/r/.git' }]), { except: [], notRepository: 'agent-1 ran meanwhile' }],
    ['an agent beside, in another repository', at([{ stepId: 'agent-1', directory: '/r/b', repository: '/r/b/.git' }]), { except: [] }],
    ['an agent of the same directory, which waits for its turn', at([{ stepId: 'agent-1', directory: '/r/a', repository: '/r/.git' }]), { except: [] }],
    ['an agent of the same directory, which may have had a turn in between', at([{ stepId: 'agent-1', directory: '/r/a' }], 'several'), { none: 'agent-1 ran meanwhile', except: [] }],
  ])('%s', (_what, given, expected) => expect(given).toEqual(expected));
});
