// Preloaded into `relayflow-open-change`: calls `die` before and after a change appears in the folder that stands for a forge, when an open one was written
// again, and when its address was printed.
import { spawnSync } from 'node:child_process';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const die = (word) => spawnSync(join(homedir(), 'bin/die'), [word], { stdio: 'ignore' });

if (process.argv.includes('open-change')) {
  const { rename } = promises;
  promises.rename = async (from, to) => {
    const appears = basename(dirname(to)) === 'open';
    if (appears) die('before');
    await rename(from, to);
    if (appears) die('after');
    if (basename(to) === 'change.json') die('written');
  };
  syncBuiltinESMExports();
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (...args) => {
    const taken = write(...args);
    die('printed');
    return taken;
  };
}
