import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { runTests, trackedFiles } from './repository.js';

/** Copies what CI runs. */
export function discover(): string {
  for (const file of trackedFiles().filter((path) => /^\.github\/workflows\/.+\.ya?ml$/.test(path))) {
    const commands = [...readFileSync(file, 'utf8').matchAll(/^\s*(?:- )?run: (.+)$/gm)].map(([, command = '']) => command.trim());
    if (commands.length === 0) continue;
    mkdirSync('.relayflow', { recursive: true });
    writeFileSync('.relayflow/check.sh', `#!/bin/sh\nset -eu\n${commands.join('\n')}\n`);
    return `CI runs \`${commands.join(' && ')}\` (${file}), and so does .relayflow/check.sh.`;
  }
  return 'This repository has no CI, and nothing else says how it is checked.';
}

/** Looks at what fails, and leaves it: what this script knows to mend, the implementer has mended. */
export function repair(): string {
  const { failing } = runTests();
  if (failing.length === 0) return 'All tests pass here.';
  return `This fails, and nothing of it is a matter of setup: ${failing.map(({ name, file }) => `"${name}" in ${file}`).join(', ')}.`;
}
