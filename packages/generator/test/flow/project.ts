import type { Script } from './place.js';

/** A project whose checks read one file. */
export const PROJECT = { 'check.sh': 'grep -qx fixed state.txt\n', 'state.txt': 'fixed\n' };

const SUMMARY = 'printf "# What was done\\n" > summary.md';

/** Finds that a command checks the project. */
export function discovery(command = 'sh ./check.sh'): string {
  return `mkdir -p .relayflow; echo "${command}" > .relayflow/check.sh; echo written`;
}

/** Commits a file with a text, and describes the work. */
export function change(file: string, text: string): string {
  return `echo ${text} > ${file}; git add ${file}; git commit -qm "Change ${file}"; ${SUMMARY}; echo done`;
}

/** Everybody does what is asked, and the review finds nothing. */
export const clean: Script = { 'check-discovery': discovery(), 'implementer': change('new.txt', 'new'), 'adversary': 'touch review.clean; echo fine' };
