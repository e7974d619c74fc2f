import type { Draft, DraftNode } from '../draft.js';
import { cut } from '../yaml/located.js';
import type { Finding } from './rule.js';

/** A file is named after the workflow, and a label too. */
const NAME = /^[a-z][a-zA-Z0-9]{0,99}$/;

/** Mailboxes, terminals and files are named after a node, and agents must write its name without a slip. */
const NODE_NAME = /^[A-Za-z](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;

/** Rule 3. */
export function nameRule({ at, name }: Draft): readonly Finding[] {
  if (name === undefined) return [[at, 'The workflow has no name.', 'Add "name:" with a small letter first, then letters and digits.']];
  if (name.value === undefined || NAME.test(name.value)) return [];
  return [[name.located.at, `The name ${JSON.stringify(cut(name.value))} cannot be used.`, 'Begin with a small letter and go on with letters and digits only, at most 100 in all.']];
}

/** Rule 4. */
export function reposRule({ at, repos }: Draft): readonly Finding[] {
  if (repos === undefined || repos.value?.length === 0) {
    return [[repos?.at ?? at, 'The workflow names no repository.', 'Add "repos:" with a list of registered repositories.']];
  }
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const { value, located } of repos.value ?? []) {
    if (value === undefined) continue;
    if (value.trim() === '') findings.push([located.at, 'The name of a repository is empty.', 'Write the name it is registered with, or remove the line.']);
    else if (seen.has(value)) findings.push([located.at, `The repository ${cut(value)} is named twice.`, 'Remove one of the two.']);
    seen.add(value);
  }
  return findings;
}

/** Part of rule 10: names of nodes that would break what is named after them. */
export function nodeNameRule(nodes: readonly DraftNode[]): readonly Finding[] {
  const byLetters = new Map<string, string>();
  return nodes.flatMap(({ name, at }): readonly Finding[] => {
    if (!NODE_NAME.test(name)) return [[at, `A node cannot be called ${JSON.stringify(cut(name))}.`, 'Begin with a letter and go on with letters, digits, dots, underscores and hyphens, at most 64 in all and no dot at the end.']];
    const twin = byLetters.get(name.toLowerCase());
    byLetters.set(name.toLowerCase(), name);
    return twin === undefined ? [] : [[at, `The nodes ${twin} and ${name} differ only in capital letters, which not every file system tells apart.`, 'Rename one of them.']];
  });
}
