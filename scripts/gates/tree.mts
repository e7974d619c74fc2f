import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { repositoryFiles, type Gate } from './gate.mjs';

/** Texts that belong to one machine. Written so that this file does not match itself. */
const FOREIGN: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'a path of one machine', pattern: /(^|[^.\w])\/(w[o]rk|r[o]ot|f[a]rm)\// },
  { what: 'a download host', pattern: /regist[r]y\.[a-z]+|d[e]b\.[a-z]+\.org/ },
];

/** Names that say nothing about what is inside. */
const DRAWER = /^(utils?|helpers?|common|misc|shared)(\.|$)/;

export function textProblems(file: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => FOREIGN.filter(({ pattern }) => pattern.test(line)).map(({ what }) => `${file}:${index + 1} has ${what}: ${line.trim().slice(0, 120)}`));
}

export function nameProblems(file: string): readonly string[] {
  return file.split('/').some((part) => DRAWER.test(basename(part))) ? [`${file}: name the idea instead of a drawer`] : [];
}

export const tree: Gate = {
  name: 'tree',
  proves: 'no file names a path of one machine or a download host, and no folder is a drawer',
  problems: async (root) => {
    const found: string[] = [];
    for (const file of await repositoryFiles(root)) {
      found.push(...nameProblems(file));
      const content = await readFile(join(root, file));
      if (!content.includes(0)) found.push(...textProblems(file, content.toString('utf8')));
    }
    return found;
  },
};
