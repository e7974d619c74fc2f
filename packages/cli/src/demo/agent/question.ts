import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { trackedFiles } from './repository.js';

/** The files that a ticket names and that do not exist. */
export function missingFiles(ticket: string): readonly string[] {
  const files = new Set(trackedFiles());
  const named = [...ticket.matchAll(/`([\w./-]+\/[\w.-]+\.\w+)`/g)].map(([, path = '']) => path);
  return [...new Set(named)].filter((path) => !files.has(path));
}

/** Asks which file is meant, with the candidates: code that speaks of what the missing one is named after. */
export function ask(missing: readonly string[]): string {
  const lines = missing.flatMap((path) => {
    const word = basename(path, extname(path));
    const found = trackedFiles().filter((file) => file.endsWith(extname(path)) && !file.startsWith('test/')).flatMap((file) => {
      const at = readFileSync(file, 'utf8').split('\n').findIndex((line) => line.includes(word));
      return at === -1 ? [] : [`- ${file}, line ${at + 1}, speaks of "${word}"`];
    });
    return [`The ticket names ${path}, which does not exist in this repository. Which file is meant?`, ...found, ...(found.length === 0 ? ['- I found no candidate.'] : [])];
  });
  mkdirSync('.relayflow', { recursive: true });
  writeFileSync('.relayflow/needs-input.md', `${lines.join('\n')}\n`);
  return `I have changed nothing, since I need an answer first.\n${lines.join('\n')}`;
}
