/** Change requests through the GitHub CLI. */
import { execa } from 'execa';
import type { ChangeOpener } from '../../packages/generator/src/catalog/open-move.js';

export function ghOpener(cwd: string): ChangeOpener {
  return {
    async open({ head, base, title, body }) {
      const { stdout } = await execa('gh', ['pr', 'list', '--head', head, '--base', base, '--state', 'open', '--json', 'url'], { cwd });
      const [existing] = JSON.parse(stdout) as readonly { readonly url: string }[];
      if (existing !== undefined) return existing.url;
      const created = await execa('gh', ['pr', 'create', '--head', head, '--base', base, '--title', title, '--body-file', '-'], { cwd, input: body });
      const url = created.stdout.trim().split('\n').at(-1) ?? '';
      if (!/^https?:\/\/\S+$/.test(url)) throw new Error(`gh pr create did not print the address of the change request: ${created.stdout}`);
      return url;
    },
  };
}
