import { expect, it } from 'vitest';
import { readListing } from '../../src/forge/folder/remote-branches.js';

const ID = 'a'.repeat(40);
const head = (name: string): string => `${ID}\trefs/heads/${name}\n`;

it.each([
  ['its HEAD', `ref: refs/heads/trunk\tHEAD\n${ID}\tHEAD\n${head('main')}${head('trunk')}`, 'trunk', ['main', 'trunk']],
  ['a HEAD that leads nowhere', `${head('a/b')}${head('main')}`, 'main', ['a/b', 'main']],
  ['an old HEAD that leads nowhere', head('master'), 'master', ['master']],
  ['other branches only', head('trunk'), undefined, ['trunk']],
  ['nothing', '', undefined, []],
  ['a branch that is called like a ref', `ref: refs/heads/x\tHEAD\n${ID}\tHEAD\n${head('HEAD')}${head('refs/heads/x')}`, 'x', ['HEAD', 'refs/heads/x']],
])('the default branch of a remote with %s', (_what, listing, defaultBranch, branches) => {
  const read = readListing(listing);
  expect({ defaultBranch: read.defaultBranch, branches: [...read.heads.keys()] }).toEqual({ defaultBranch, branches });
});
