import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Links of a document to files of the repository that do not exist. Anchors and the web are not followed. */
export async function linkProblems(root: string, file: string, markdown: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [index, line] of markdown.split('\n').entries()) {
    for (const [, target = ''] of line.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|mailto:|#)/.test(target)) continue;
      const path = join(root, dirname(file), decodeURI(target.split('#')[0] ?? ''));
      await access(path).catch(() => found.push(`${file}:${index + 1} links to ${target}, which does not exist`));
    }
  }
  return found;
}
