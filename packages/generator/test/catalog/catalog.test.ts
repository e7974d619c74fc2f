import { describe, expect, it } from 'vitest';
import { catalogText, readCatalog } from '../../src/catalog/catalog.js';
import { planMove } from '../../src/catalog/move.js';
import { moveText } from '../../src/catalog/propose.js';
import { servedProblems, successionProblems } from '../../src/catalog/verify.js';
import { catalogOf, newest, pin } from './pins.js';

const SENTENCE = 'the catalog changed an artifact without advancing its version';

describe('a move', () => {
  it('begins with catalog version 1', () => {
    expect(planMove(undefined, [newest(1)])).toEqual({ kind: 'move', moves: [{ id: 'garden', from: undefined, to: 1 }], catalog: catalogOf([pin(1)]) });
  });

  it('advances the catalog version and appends a row of everything that is served', () => {
    const other = pin(4, undefined, 'other');
    expect(planMove(catalogOf([pin(1)], [pin(1), other]), [newest(3)])).toEqual({
      kind: 'move', moves: [{ id: 'garden', from: 1, to: 3 }], catalog: catalogOf([pin(1)], [pin(1), other], [pin(3), other]),
    });
  });

  it('is one for all the pins that move', () => {
    const plan = planMove(catalogOf([pin(1)]), [newest(2), newest(1, undefined, 'other')]);
    expect(plan).toMatchObject({ kind: 'move', catalog: catalogOf([pin(1)], [pin(2), pin(1, undefined, 'other')]) });
  });

  it('does not leave the catalog it was planned from changed', () => {
    const catalog = catalogOf([pin(1)]);
    planMove(catalog, [newest(2)]);
    expect(catalog).toEqual(catalogOf([pin(1)]));
  });

  it('is nothing when the newest versions are served, whatever commit has them too', () => {
    expect(planMove(catalogOf([pin(1)]), [{ ...newest(1), ref: 'f'.repeat(40) }])).toEqual({ kind: 'current', catalogVersion: 1 });
  });

  it.each([
    ['another content of the version that is served', [newest(1, 'edited\n')], `Version 1 of garden is not what is served: ${SENTENCE}.`],
    ['an older version than the one that is served', [newest(1)], 'The catalog serves version 2 of garden, but its newest is 1.'],
  ])('is refused for %s', (_, versions, reason) => {
    const catalog = versions[0]?.sha256 === newest(1).sha256 ? catalogOf([pin(1)], [pin(2)]) : catalogOf([pin(1)]);
    expect(planMove(catalog, versions)).toEqual({ kind: 'refused', reasons: [reason] });
  });

  it('is refused when nothing is published', () => {
    expect(planMove(undefined, [])).toEqual({ kind: 'refused', reasons: ['Nothing is published that could be served.'] });
  });

  it('is told pin by pin', () => {
    expect(moveText(planMove(catalogOf([pin(1)]), [newest(2)]))).toMatchInlineSnapshot(`
      "garden: version 1 to 2
        published/flows/garden/v2.flow.ts
        release garden-v2
        ref 2222222222222222222222222222222222222222
        sha256 53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3
      catalogVersion 1 to 2"
    `);
  });
});

describe('a catalog', () => {
  const catalog = catalogOf([pin(1)], [pin(2)]);

  it('is read as it was written', () => {
    expect(readCatalog(catalogText(catalog))).toEqual(catalog);
  });

  it('has the same text whatever order its members had', () => {
    const [{ source, ...rest }] = [pin(1)];
    const { sha256, ref, release, path } = source;
    expect(catalogText(catalogOf([{ source: { sha256, ref, release, path }, ...rest }]))).toBe(catalogText(catalogOf([pin(1)])));
  });

  it.each([
    ['flows that its last row does not have', { ...catalog, flows: [pin(2, 'edited\n')] }, `catalog.json: ${SENTENCE}: the flows differ from the row of catalogVersion 2.`],
    ['a commit that its last row does not have', { ...catalog, flows: [{ ...pin(2), source: { ...pin(2).source, ref: 'f'.repeat(40) } }] }, `catalog.json: ${SENTENCE}: the flows differ from the row of catalogVersion 2.`],
    ['a row less', { ...catalog, history: catalog.history.slice(1) }, 'catalog.json: history does not count from 1 to 2 without a gap.'],
    ['a version ahead of its rows', { ...catalog, catalogVersion: 3 }, 'catalog.json: history does not count from 1 to 3 without a gap.'],
    ['two contents of one version', catalogOf([pin(1)], [pin(1, 'edited\n')]), 'catalog.json: garden-v1 was served with two different contents.'],
    ['a flow twice', catalogOf([pin(1), pin(1)]), 'catalog.json: the row of catalogVersion 1 names a flow twice.'],
    ['the release of another version', catalogOf([{ ...pin(1), source: { ...pin(1).source, release: 'garden-v2' } }]), 'catalog.json: the row of catalogVersion 1 calls the release of garden version 1 garden-v2 instead of garden-v1.'],
    ['the file of another version', catalogOf([{ ...pin(1), source: { ...pin(1).source, path: 'published/flows/garden/v2.flow.ts' } }]), 'catalog.json: the row of catalogVersion 1 has published/flows/garden/v2.flow.ts as version 1 of garden.'],
  ])('is refused with %s', (_, wrong, problem) => {
    expect(readCatalog(JSON.stringify(wrong))).toEqual([problem]);
  });

  it.each([
    ['{', /^catalog\.json is no JSON: /],
    [JSON.stringify({ ...catalog, note: '' }), /^catalog\.json: the whole /],
    [JSON.stringify(catalogOf([{ ...pin(1), source: { ...pin(1).source, ref: 'main' } }])), /^catalog\.json: flows\.0\.source\.ref is no full commit id\.$/],
  ])('is refused as %s', (text, problem) => {
    const read = readCatalog(text);
    expect(Array.isArray(read) ? read[0] : read).toMatch(problem);
  });
});

describe('a catalog after another', () => {
  const before = catalogOf([pin(1)], [pin(2)]);

  it.each([
    ['the same', before, []],
    ['one version further', catalogOf([pin(1)], [pin(2)], [pin(3)]), []],
    ['two versions further', catalogOf([pin(1)], [pin(2)], [pin(3)], [pin(2)]), []],
    ['another content at the same version', catalogOf([pin(1)], [pin(2, 'edited\n')]), [`catalog.json: ${SENTENCE}.`]],
    ['another version of a flow at the same version', catalogOf([pin(1)], [pin(3)]), [`catalog.json: ${SENTENCE}.`]],
    ['an edited row', catalogOf([pin(1, 'edited\n')], [pin(2)]), ['catalog.json: the row of catalogVersion 1 was edited. Rows are only appended.']],
    ['an edited row, further on', catalogOf([pin(1)], [pin(2, 'edited\n')], [pin(3)]), ['catalog.json: the row of catalogVersion 2 was edited. Rows are only appended.']],
    ['a version back', catalogOf([pin(1)]), ['catalog.json: catalogVersion went back from 2 to 1.']],
  ])('%s', (_, after, problems) => {
    expect(successionProblems(before, after)).toEqual(problems);
  });
});

describe('what is served', () => {
  const catalog = catalogOf([pin(1)], [pin(2)]);
  const [first, second] = [pin(1).source, pin(2).source];

  it.each([
    ['as it was pinned', {}, []],
    ['changed', { [second.path]: 'a' }, [`catalog.json: ${SENTENCE}: ${second.path} has the sha256 a, not ${second.sha256}.`]],
    ['missing', { [second.path]: undefined }, [`catalog.json: ${SENTENCE}: ${second.path} is missing.`]],
    ['once, and changed since', { [first.path]: 'b' }, [`catalog.json: ${first.path} has the sha256 b, not ${first.sha256}, which catalogVersion 1 served.`]],
  ])('%s', (_, changes, problems) => {
    const digests: Readonly<Record<string, string | undefined>> = { [first.path]: first.sha256, [second.path]: second.sha256, ...changes };
    expect(servedProblems(catalog, (path) => digests[path])).toEqual(problems);
  });
});
