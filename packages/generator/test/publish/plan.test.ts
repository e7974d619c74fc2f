import { describe, expect, it } from 'vitest';
import { manifestText } from '../../src/publish/manifest.js';
import { planNext } from '../../src/publish/plan-next.js';
import { planPublish } from '../../src/publish/plan.js';
import { edition, folderOf, manifestOf, without } from './edition.js';

const [ONE, TWO, THREE] = ['one\n', 'two, longer\n', 'three\n'];

describe('the next version', () => {
  it('is staged with its manifest, then both are put in their places', () => {
    expect(planPublish(folderOf([ONE]), edition(TWO))).toEqual({
      kind: 'publish', version: 2, sha256: manifestOf(TWO).sha256,
      steps: [
        { do: 'write', name: 'v2.flow.ts.staged', text: TWO },
        { do: 'write', name: 'manifest.json.staged', text: manifestText(manifestOf(ONE, TWO)) },
        { do: 'rename', from: 'v2.flow.ts.staged', to: 'v2.flow.ts' },
        { do: 'rename', from: 'manifest.json.staged', to: 'manifest.json' },
      ],
    });
  });

  it('is version 1 in an empty folder', () => {
    expect(planPublish(folderOf([]), edition(ONE))).toMatchObject({ kind: 'publish', version: 1 });
  });

  it('takes the place of next.flow.ts, which it has to equal', () => {
    const plan = planPublish(folderOf([ONE], { 'next.flow.ts': TWO }), edition(TWO));
    expect(plan).toMatchObject({ kind: 'publish', version: 2 });
    expect(plan.steps.at(-1)).toEqual({ do: 'remove', name: 'next.flow.ts' });
    for (const source of [ONE, THREE]) {
      expect(planPublish(folderOf([ONE], { 'next.flow.ts': TWO }), edition(source))).toEqual({ kind: 'refused', reasons: ['next.flow.ts is not what the generator makes of the draft.'], steps: [] });
    }
  });

  it('is nothing when the newest version is what the generator makes', () => {
    expect(planPublish(folderOf([ONE, TWO]), edition(TWO))).toEqual({ kind: 'unchanged', version: 2, steps: [] });
  });

  it('is a new version when it returns to the bytes of an earlier one', () => {
    expect(planPublish(folderOf([ONE, TWO]), edition(ONE))).toMatchObject({ kind: 'publish', version: 3, sha256: manifestOf(ONE).sha256 });
  });

  it.each([['one\r\n', 'The flow has a carriage return.'], ['one', 'The flow does not end with a line feed.'], ['\ud800\n', 'The flow has half a character.']])('is refused for bytes that would not last: %j', (source, reason) => {
    expect(planPublish(folderOf([ONE]), edition(source))).toEqual({ kind: 'refused', reasons: [reason], steps: [] });
  });
});

describe('an earlier version', () => {
  const published = folderOf([ONE, TWO]);
  const changed = (name: string, text: string | undefined) => new Map([...published, [name, text === undefined ? undefined : Buffer.from(text)]]);
  const edited = (member: object) => changed('manifest.json', JSON.stringify({ ...manifestOf(ONE, TWO), ...member }));

  it.each([
    ['missing', without(published, 'v1.flow.ts'), /^v1\.flow\.ts is missing\.$/],
    ['edited', changed('v1.flow.ts', 'One\n'), /^v1\.flow\.ts was changed\. Its sha256 is [0-9a-f]{64}, that of what was published is [0-9a-f]{64}\.$/],
    ['cut short', changed('v2.flow.ts', 'two,'), /^v2\.flow\.ts is cut short: it has 4 of 12 bytes\. /],
    ['empty', changed('v1.flow.ts', ''), /^v1\.flow\.ts was changed\./],
    ['a symlink or a folder', changed('v1.flow.ts', undefined), /^v1\.flow\.ts is no regular file\.$/],
    ['not in the manifest', changed('v3.flow.ts', THREE), /^v3\.flow\.ts is named by no manifest\.$/],
    ['without its manifest', without(published, 'manifest.json'), /^manifest\.json is missing, although there is v1\.flow\.ts, v2\.flow\.ts\.$/],
    ['under a manifest that is a symlink', changed('manifest.json', undefined), /^manifest\.json is no regular file\.$/],
    ['under a manifest cut short', changed('manifest.json', manifestText(manifestOf(ONE, TWO)).slice(0, 100)), /^manifest\.json is no JSON: /],
    ['under a manifest with a row more', edited({ versions: manifestOf(ONE, TWO, TWO).versions }), /version is not the last of the versions\.$/],
    ['under a manifest with a gap', edited({ versions: manifestOf(ONE, TWO).versions.slice(1) }), /versions does not count 1, 2, 3 without a gap\.$/],
    ['under a manifest of another newest digest', edited({ sha256: manifestOf(ONE).sha256 }), /sha256 is not that of the last of the versions\.$/],
    ['under a manifest of another path', edited({ path: 'published/flows/garden/v1.flow.ts' }), /path does not end with \/v2\.flow\.ts\.$/],
    ['under a manifest of another size', edited({ bytes: 13 }), /^manifest\.json says that v2\.flow\.ts has 13 bytes; it has 12\.$/],
    ['under a manifest that says more', edited({ note: '' }), /^manifest\.json: the whole /],
  ])('that is %s stops every publish', (_, folder, reason) => {
    for (const source of [ONE, TWO, THREE]) {
      for (const plan of [planPublish(folder, edition(source)), planNext(folder, edition(source))]) {
        expect(plan).toEqual({ kind: 'refused', reasons: [expect.stringMatching(reason) as string], steps: [] });
      }
    }
  });

  it('is named with all that is wrong with the others', () => {
    const plan = planPublish(new Map([...without(published, 'v1.flow.ts'), ['v2.flow.ts', Buffer.from('2')]]), edition(THREE));
    expect(plan.kind === 'refused' ? plan.reasons : []).toHaveLength(2);
  });
});

describe('a publish that was killed', () => {
  const meant = manifestText(manifestOf(ONE, TWO));

  it.each([
    ['the version half written', { 'v2.flow.ts.staged': 'tw' }],
    ['the manifest half written', { 'v2.flow.ts.staged': TWO, 'manifest.json.staged': meant.slice(0, 50) }],
    ['both staged', { 'v2.flow.ts.staged': TWO, 'manifest.json.staged': meant }],
  ])('with %s is taken back, and what is made now is published', (_, left) => {
    const plan = planPublish(folderOf([ONE], left), edition(THREE));
    expect(plan).toMatchObject({ kind: 'publish', version: 2, sha256: manifestOf(THREE).sha256 });
    expect(plan.steps.slice(0, Object.keys(left).length)).toEqual(Object.keys(left).map((name) => ({ do: 'remove', name })));
  });

  it('with the version in its place is finished, and nothing else is published', () => {
    const folder = folderOf([ONE], { 'v2.flow.ts': TWO, 'manifest.json.staged': meant, 'next.flow.ts': TWO });
    const steps = [{ do: 'rename', from: 'manifest.json.staged', to: 'manifest.json' }, { do: 'remove', name: 'next.flow.ts' }];
    for (const source of [TWO, THREE]) expect(planPublish(folder, edition(source))).toEqual({ kind: 'finish', version: 2, steps });
    expect(planNext(folder, edition(THREE))).toMatchObject({ kind: 'refused', reasons: ['The publish of version 2 was interrupted.'] });
  });

  it('as the very first is finished too', () => {
    const folder = folderOf([], { 'v1.flow.ts': ONE, 'manifest.json.staged': manifestText(manifestOf(ONE)) });
    expect(planPublish(folder, edition(ONE))).toMatchObject({ kind: 'finish', version: 1 });
  });

  it('with only next.flow.ts left to remove is finished', () => {
    expect(planPublish(folderOf([ONE, TWO], { 'next.flow.ts': TWO }), edition(THREE))).toEqual({ kind: 'finish', version: 2, steps: [{ do: 'remove', name: 'next.flow.ts' }] });
  });

  it.each([
    ['is not what was meant', [ONE], { 'v2.flow.ts': 'edited\n', 'manifest.json.staged': meant }],
    ['follows other versions', [THREE], { 'v2.flow.ts': TWO, 'manifest.json.staged': meant }],
    ['is not the one after the newest', [], { 'v2.flow.ts': TWO, 'manifest.json.staged': meant }],
  ])('is not finished when the version in its place %s', (_, published, left) => {
    expect(planPublish(folderOf(published, left), edition(THREE))).toMatchObject({ kind: 'refused', steps: [] });
  });

  it('is not finished over an earlier version that was edited', () => {
    const folder = new Map([...folderOf([ONE], { 'v2.flow.ts': TWO, 'manifest.json.staged': meant }), ['v1.flow.ts', Buffer.from('One\n')]]);
    expect(planPublish(folder, edition(TWO))).toMatchObject({ kind: 'refused', steps: [] });
  });
});

describe('next.flow.ts', () => {
  const write = [{ do: 'write', name: 'next.flow.ts.staged', text: TWO }, { do: 'rename', from: 'next.flow.ts.staged', to: 'next.flow.ts' }];

  it.each([
    ['is written', folderOf([ONE]), { kind: 'next', steps: write }],
    ['is written before the first version', folderOf([]), { kind: 'next', steps: write }],
    ['is written again', folderOf([ONE], { 'next.flow.ts': THREE }), { kind: 'next', steps: write }],
    ['stays when it is fresh', folderOf([ONE], { 'next.flow.ts': TWO }), { kind: 'fresh', steps: [] }],
    ['does not exist beside a version that equals it', folderOf([ONE, TWO]), { kind: 'unchanged', version: 2, steps: [] }],
    ['is removed beside a version that the generator makes again', folderOf([ONE, TWO], { 'next.flow.ts': THREE }), { kind: 'unchanged', version: 2, steps: [{ do: 'remove', name: 'next.flow.ts' }] }],
  ])('%s', (_, folder, plan) => {
    expect(planNext(folder, edition(TWO))).toEqual(plan);
  });
});
