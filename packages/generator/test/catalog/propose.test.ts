import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogText, readCatalog, type Catalog } from '../../src/catalog/catalog.js';
import { createGit } from '../../src/catalog/git.js';
import { openMove, type ChangeOpener } from '../../src/catalog/open-move.js';
import { proposeMove } from '../../src/catalog/propose.js';
import { writeCatalog } from '../../src/catalog/write.js';
import { scratch, type Scratch } from './scratch.js';

async function moved({ git }: Scratch, commit = 'HEAD'): Promise<Catalog> {
  const proposal = await proposeMove(git, commit);
  if (proposal.kind !== 'move') throw new Error(JSON.stringify(proposal));
  return proposal.catalog;
}

describe('a proposal', () => {
  it('pins the commit that added the file, not a later one', async () => {
    const repository = scratch();
    const first = repository.publish('one\n');
    repository.commit({ 'readme.md': 'y\n' });
    const catalog = await moved(repository);
    expect(catalog).toMatchObject({ catalogVersion: 1, flows: [{ id: 'garden', version: 1, source: { ref: first, release: 'garden-v1', path: 'published/flows/garden/v1.flow.ts' } }] });
    repository.commit({ 'published/catalog.json': catalogText(catalog) });
    expect(await proposeMove(repository.git, 'HEAD')).toMatchObject({ kind: 'current', catalogVersion: 1 });
    const second = repository.publish('one\n', 'two\n');
    repository.commit({ 'readme.md': 'z\n' });
    const next = await moved(repository);
    expect(next.history).toEqual([catalog.history[0], { catalogVersion: 2, flows: next.flows }]);
    expect(next.flows[0]?.source.ref).toBe(second);
  });

  it('pins the commit that renamed next.flow.ts', async () => {
    const repository = scratch();
    repository.commit({ 'published/flows/garden/next.flow.ts': 'one\n' });
    repository.run('rm', '--quiet', 'published/flows/garden/next.flow.ts');
    const published = repository.publish('one\n');
    expect((await moved(repository)).flows[0]?.source.ref).toBe(published);
  });

  it('pins a commit of a branch that was merged', async () => {
    const repository = scratch();
    repository.run('switch', '--quiet', '-c', 'publish');
    const published = repository.publish('one\n');
    repository.run('switch', '--quiet', 'main');
    repository.commit({ 'readme.md': 'y\n' });
    repository.run('merge', '--quiet', '--no-ff', '-m', 'Merge', 'publish');
    expect((await moved(repository)).flows[0]?.source.ref).toBe(published);
  });

  it('pins the commit that added what there is when the file was added twice', async () => {
    const repository = scratch();
    repository.publish('draft\n');
    repository.commit({ 'published/flows/garden/v1.flow.ts': undefined, 'published/flows/garden/manifest.json': undefined });
    const published = repository.publish('one\n');
    expect((await moved(repository)).flows[0]?.source.ref).toBe(published);
  });

  it('does not see what is not committed', async () => {
    const repository = scratch();
    mkdirSync(join(repository.root, 'published/flows/garden'), { recursive: true });
    writeFileSync(join(repository.root, 'published/flows/garden/v1.flow.ts'), 'one\n');
    expect(await proposeMove(repository.git, 'HEAD')).toMatchObject({ kind: 'refused', reasons: ['Nothing is published that could be served.'] });
  });

  it('is refused when a commit has edited what was published', async () => {
    const repository = scratch();
    repository.publish('one\n');
    repository.commit({ 'published/flows/garden/v1.flow.ts': 'One\n' });
    expect(await proposeMove(repository.git, 'HEAD')).toMatchObject({ kind: 'refused', reasons: [expect.stringContaining('published/flows/garden: v1.flow.ts was changed.')] });
  });

  it('is refused when the file was never added as it is', async () => {
    const repository = scratch();
    repository.commit({ 'published/flows/garden/v1.flow.ts': 'draft\n' });
    repository.publish('one\n');
    expect(await proposeMove(repository.git, 'HEAD')).toMatchObject({ kind: 'refused', reasons: ['published/flows/garden/v1.flow.ts has no commit that added it as it is.'] });
  });

  it('is refused when an artifact was changed together with its manifest, at the catalog version that serves it', async () => {
    const repository = scratch();
    repository.publish('one\n');
    repository.commit({ 'published/catalog.json': catalogText(await moved(repository)) });
    repository.commit({ 'published/flows/garden/v1.flow.ts': undefined });
    repository.publish('One\n');
    expect(await proposeMove(repository.git, 'HEAD')).toMatchObject({
      kind: 'refused', reasons: ['Version 1 of garden is not what is served: the catalog changed an artifact without advancing its version.'],
    });
  });

  it('is refused in a shallow clone', async () => {
    const repository = scratch();
    repository.publish('one\n');
    repository.commit({ 'readme.md': 'y\n' });
    repository.run('push', '--quiet', 'origin', 'main');
    const shallow = join(repository.root, '../shallow');
    repository.run('clone', '--quiet', '--depth=1', `file://${repository.origin}`, shallow);
    expect(await proposeMove(createGit(shallow), 'HEAD')).toMatchObject({ kind: 'refused', reasons: [expect.stringContaining('git fetch --unshallow')] });
  });
});

describe('writing a catalog', () => {
  it('puts it in its place, and once more does nothing', async () => {
    const { root } = scratch();
    const folder = join(root, 'published');
    mkdirSync(folder);
    for (const _ of [1, 2]) {
      expect(await writeCatalog(folder, undefined, 'catalog\n')).toBeUndefined();
      expect(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])).toEqual([['catalog.json', 'catalog\n']]);
    }
  });

  it('does not write over what the move was not planned from', async () => {
    const { root } = scratch();
    writeFileSync(join(root, 'catalog.json'), 'mine\n');
    expect(await writeCatalog(root, 'committed\n', 'catalog\n')).toBe('published/catalog.json has changes that are not committed. Commit them or take them back first.');
    expect(readFileSync(join(root, 'catalog.json'), 'utf8')).toBe('mine\n');
  });
});

describe('opening a move', () => {
  function recorder(): { readonly opener: ChangeOpener; readonly opened: Parameters<ChangeOpener['open']>[0][] } {
    const opened: Parameters<ChangeOpener['open']>[0][] = [];
    return { opened, opener: { open: async (change) => `https://forge.example/${opened.push(change)}` } };
  }

  function publishedAtOrigin(): Scratch {
    const repository = scratch();
    repository.publish('one\n');
    repository.run('push', '--quiet', 'origin', 'main');
    return repository;
  }

  it('pushes one commit that changes the catalog only, and leaves the checkout alone', async () => {
    const repository = publishedAtOrigin();
    const tip = repository.run('rev-parse', 'HEAD');
    repository.run('switch', '--quiet', '-c', 'work');
    writeFileSync(join(repository.root, 'readme.md'), 'not committed\n');
    const before = repository.run('status', '--porcelain');
    const { opener, opened } = recorder();
    expect(await openMove(repository.git, opener)).toMatchObject({ kind: 'opened', url: 'https://forge.example/1', branch: 'catalog-v1' });
    expect(opened).toMatchObject([{ head: 'catalog-v1', base: 'main', title: 'Serve garden version 1' }]);
    expect([repository.run('status', '--porcelain'), repository.run('branch', '--show-current')]).toEqual([before, 'work']);
    repository.run('fetch', '--quiet', 'origin');
    expect(repository.run('rev-parse', 'origin/catalog-v1^')).toBe(tip);
    expect(repository.run('diff', '--no-color', '--name-status', tip, 'origin/catalog-v1')).toBe('A\tpublished/catalog.json');
    expect(readCatalog(repository.run('show', '--no-color', 'origin/catalog-v1:published/catalog.json'))).toMatchObject({ catalogVersion: 1 });
  });

  it('opens what was pushed before, without pushing again', async () => {
    const repository = publishedAtOrigin();
    const failing: ChangeOpener = { open: async () => { throw new Error('The forge is down.'); } };
    await expect(openMove(repository.git, failing)).rejects.toThrow('The forge is down.');
    const pushed = repository.run('ls-remote', 'origin', 'refs/heads/catalog-v1');
    const { opener } = recorder();
    expect(await openMove(repository.git, opener)).toMatchObject({ kind: 'opened' });
    expect(repository.run('ls-remote', 'origin', 'refs/heads/catalog-v1')).toBe(pushed);
  });

  it('does not take over a branch of that name with other contents', async () => {
    const repository = publishedAtOrigin();
    repository.run('push', '--quiet', 'origin', 'main:refs/heads/catalog-v1');
    const { opener, opened } = recorder();
    expect(await openMove(repository.git, opener)).toMatchObject({ kind: 'refused', reasons: ['The remote has a branch catalog-v1 with another catalog. Merge or remove it first.'] });
    expect(opened).toEqual([]);
  });

  it('does not move to a version that the default branch does not have', async () => {
    const repository = publishedAtOrigin();
    repository.commit({ 'published/catalog.json': catalogText(await moved(repository)) });
    repository.run('push', '--quiet', 'origin', 'main');
    repository.publish('one\n', 'two\n');
    const { opener, opened } = recorder();
    expect(await openMove(repository.git, opener)).toMatchObject({ kind: 'current', catalogVersion: 1 });
    expect(opened).toEqual([]);
  });
});
