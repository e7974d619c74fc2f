import { open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { problemsOf, repositoryFiles, type Gate } from './gate.mjs';

const SHEBANG = /^#!.*\b(ba|da|)sh\b/;

async function isShellScript(root: string, file: string): Promise<boolean> {
  if (file.endsWith('.sh')) return true;
  if (extname(file) !== '') return false;
  const handle = await open(join(root, file));
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    return SHEBANG.test(buffer.toString('latin1', 0, bytesRead).split('\n')[0] ?? '');
  } finally {
    await handle.close();
  }
}

export const shell: Gate = {
  name: 'shell',
  proves: 'shell scripts pass shellcheck and have the layout of shfmt -i 2 -ci',
  programs: ['shellcheck', 'shfmt'],
  problems: async (root) => {
    const scripts: string[] = [];
    for (const file of await repositoryFiles(root)) if (await isShellScript(root, file)) scripts.push(file);
    if (scripts.length === 0) return [];
    const checks = [problemsOf(root, 'shellcheck', ['--external-sources', '--source-path=SCRIPTDIR', ...scripts]), problemsOf(root, 'shfmt', ['-d', '-i', '2', '-ci', ...scripts])];
    return (await Promise.all(checks)).flat();
  },
};
