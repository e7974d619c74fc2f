import { describe, expect, it } from 'vitest';
import { catalogText } from '../../src/catalog/catalog.js';
import { catalogHistoryProblems, publishedFiles, refProblems, rewriteProblems } from '../../src/catalog/history.js';
import { sha256Of } from '../../src/publish/digest.js';
import { catalogOf, pin } from './pins.js';
import { scratch } from './scratch.js';

const FILE = 'published/flows/garden/v1.flow.ts';

describe('published files', () => {
  it('are those that were added, with what they were then', async () => {
    const { git, publish, commit } = scratch();
    commit({ 'published/flows/garden/next.flow.ts': 'one\n' });
    publish('one\n');
    publish('one\n', 'two\n');
    expect(await publishedFiles(git, 'HEAD')).toEqual(new Map([[FILE, sha256Of('one\n')], ['published/flows/garden/v2.flow.ts', sha256Of('two\n')]]));
    expect(await rewriteProblems(git, 'HEAD')).toEqual([]);
  });

  it('that are changed or removed are told with the commit', async () => {
    const { git, publish, commit } = scratch();
    publish('one\n');
    const edited = commit({ [FILE]: 'One\n' });
    const removed = commit({ [FILE]: undefined });
    expect(await rewriteProblems(git, 'HEAD')).toEqual([
      `Commit ${edited.slice(0, 12)} changed ${FILE}, which was published.`,
      `Commit ${removed.slice(0, 12)} removed ${FILE}, which was published.`,
    ]);
    expect(await publishedFiles(git, 'HEAD')).toEqual(new Map([[FILE, sha256Of('one\n')]]));
  });

  it('that a merge changes are told with the merge', async () => {
    const { git, publish, commit, run } = scratch();
    publish('one\n');
    run('switch', '--quiet', '-c', 'side');
    commit({ 'readme.md': 'side\n' });
    run('switch', '--quiet', 'main');
    commit({ 'other.md': 'main\n' });
    run('merge', '--quiet', '--no-ff', '--no-commit', 'side');
    const merge = commit({ [FILE]: 'One\n' });
    expect(run('rev-parse', 'HEAD^2')).toMatch(/^[0-9a-f]{40}$/);
    expect(await rewriteProblems(git, 'HEAD')).toEqual([`Commit ${merge.slice(0, 12)} changed ${FILE}, which was published.`]);
  });

  it('in the very first commit count', async () => {
    const { git, publish, run } = scratch();
    run('switch', '--quiet', '--orphan', 'fresh');
    publish('one\n');
    expect(run('rev-list', '--count', 'HEAD')).toBe('1');
    expect([...(await publishedFiles(git, 'HEAD')).keys()]).toEqual([FILE]);
  });
});

describe('the history of a catalog', () => {
  it('is sound when rows were appended', async () => {
    const { git, commit } = scratch();
    commit({ 'published/catalog.json': catalogText(catalogOf([pin(1)])) });
    commit({ 'published/catalog.json': catalogText(catalogOf([pin(1)], [pin(2)])) });
    expect(await catalogHistoryProblems(git, 'HEAD')).toEqual([]);
  });

  it('tells the commits that edited, took back or removed', async () => {
    const { git, commit } = scratch();
    commit({ 'published/catalog.json': catalogText(catalogOf([pin(1)])) });
    const edited = commit({ 'published/catalog.json': catalogText(catalogOf([pin(1, 'edited\n')])) });
    commit({ 'published/catalog.json': catalogText(catalogOf([pin(1, 'edited\n')], [pin(2)])) });
    const back = commit({ 'published/catalog.json': catalogText(catalogOf([pin(1, 'edited\n')])) });
    const removed = commit({ 'published/catalog.json': undefined });
    expect(await catalogHistoryProblems(git, 'HEAD')).toEqual([
      `Commit ${edited.slice(0, 12)}: catalog.json: the catalog changed an artifact without advancing its version.`,
      `Commit ${back.slice(0, 12)}: catalog.json: catalogVersion went back from 2 to 1.`,
      `Commit ${removed.slice(0, 12)}: published/catalog.json was removed.`,
    ]);
  });
});

describe('the commit of a pin', () => {
  const pinned = (ref: string) => ({ ...pin(1), source: { ...pin(1).source, ref, path: FILE, sha256: sha256Of('one\n') } });

  it('has the file with its digest', async () => {
    const { git, publish, commit } = scratch();
    const ref = publish('one\n');
    commit({});
    expect(await refProblems(git, 'HEAD', catalogOf([pinned(ref)]))).toEqual([]);
  });

  it.each([
    ['has no such file', (repository: ReturnType<typeof scratch>) => repository.run('rev-parse', 'HEAD~1'), /does not have published\/flows\/garden\/v1\.flow\.ts with its sha256\.$/],
    ['has another file', (repository: ReturnType<typeof scratch>) => repository.commit({ [FILE]: 'One\n' }), /does not have published\/flows\/garden\/v1\.flow\.ts with its sha256\.$/],
    ['was squashed away', (repository: ReturnType<typeof scratch>) => {
      const lost = repository.run('rev-parse', 'HEAD');
      repository.run('commit', '--quiet', '--amend', '-m', 'Squashed');
      return lost;
    }, /which is not in the history\.$/],
  ])('is told when it %s', async (_, refOf, problem) => {
    const repository = scratch();
    repository.publish('one\n');
    const problems = await refProblems(repository.git, 'HEAD', catalogOf([pinned(refOf(repository))]));
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });
});
