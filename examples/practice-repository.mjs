/**
 * Makes a repository to practise on: `node examples/practice-repository.mjs <folder>` creates `<folder>/work`, a small project with tests, and
 * `<folder>/origin.git`, the bare repository it pushes to.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FILES = {
  'package.json': `${JSON.stringify({ name: 'greeter', private: true, type: 'module', scripts: { test: 'node greet.test.mjs' } }, undefined, 2)}\n`,
  'greet.mjs': "export const greet = () => 'Hello!';\n",
  'greet.test.mjs': "import assert from 'node:assert/strict';\nimport { greet } from './greet.mjs';\n\nassert.equal(greet(), 'Hello!');\n",
};

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node examples/practice-repository.mjs <folder>');
  process.exit(2);
}

const origin = resolve(folder, 'origin.git');
const work = resolve(folder, 'work');
const git = (...args) => execFileSync('git', ['-C', work, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });

mkdirSync(work, { recursive: true });
for (const [name, content] of Object.entries(FILES)) writeFileSync(join(work, name), content);

git('init', '--quiet', '--initial-branch=main');
git('config', 'user.name', 'Practice');
git('config', 'user.email', 'practice@example.com');
git('add', '--all');
git('commit', '--quiet', '--message', 'Greet the world');
git('clone', '--quiet', '--bare', '.', origin);
git('remote', 'add', 'origin', origin);
git('fetch', '--quiet', 'origin');

console.log(work);
